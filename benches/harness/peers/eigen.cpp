// What a user of Eigen writes. VALUE is the type of the values.
#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <cstdint>
#include <vector>

using Rows = Eigen::SparseMatrix<VALUE, Eigen::RowMajor, int>;
using Columns = Eigen::SparseMatrix<VALUE, Eigen::ColMajor, int>;
using View = Eigen::Map<const Rows>;
using Dense = Eigen::Matrix<VALUE, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::Matrix<VALUE, Eigen::Dynamic, 1>;
using Triplets = std::vector<Eigen::Triplet<VALUE, int>>;

extern "C" {
Triplets *triplets(int64_t count, const uint32_t *row, const uint32_t *col, const VALUE *value) {
    auto *all = new Triplets;
    all->reserve(count);
    for (int64_t k = 0; k < count; k++)
        all->emplace_back((int)row[k], (int)col[k], value[k]);
    return all;
}
void release_triplets(Triplets *all) { delete all; }

Rows *compress(int64_t rows, int64_t cols, const Triplets *all) {
    auto *result = new Rows(rows, cols);
    result->setFromTriplets(all->begin(), all->end());
    return result;
}
void release_rows(Rows *matrix) { delete matrix; }

Columns *transpose(const Rows *matrix) { return new Columns(*matrix); }
void release_columns(Columns *matrix) { delete matrix; }

const int *rows_ptr(const Rows *matrix) { return matrix->outerIndexPtr(); }
const int *rows_idx(const Rows *matrix) { return matrix->innerIndexPtr(); }
const VALUE *rows_values(const Rows *matrix) { return matrix->valuePtr(); }
const int *columns_ptr(const Columns *matrix) { return matrix->outerIndexPtr(); }
const int *columns_idx(const Columns *matrix) { return matrix->innerIndexPtr(); }
const VALUE *columns_values(const Columns *matrix) { return matrix->valuePtr(); }

void set_threads(int count) { Eigen::setNbThreads(count); }

View *view(int64_t rows, int64_t cols, const uint32_t *ptr, const uint32_t *idx, const VALUE *values) {
    return new View(rows, cols, ptr[rows], (const int *)ptr, (const int *)idx, values);
}
void release_view(View *matrix) { delete matrix; }

void multiply(const View *a, int64_t columns, const VALUE *b, VALUE *c) {
    if (columns == 1)
        Eigen::Map<Vector>(c, a->rows()).noalias() = *a * Eigen::Map<const Vector>(b, a->cols());
    else
        Eigen::Map<Dense>(c, a->rows(), columns).noalias() = *a * Eigen::Map<const Dense>(b, a->cols(), columns);
}
Rows *square(const View *a) { return new Rows(*a * *a); }
Rows *add(const View *a, const View *b) { return new Rows(*a + *b); }
}
