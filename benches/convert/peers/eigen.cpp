// What a user of Eigen writes. VALUE is the type of the values.
#include <Eigen/SparseCore>
#include <cstdint>
#include <vector>

using Rows = Eigen::SparseMatrix<VALUE, Eigen::RowMajor, int>;
using Columns = Eigen::SparseMatrix<VALUE, Eigen::ColMajor, int>;
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
}
