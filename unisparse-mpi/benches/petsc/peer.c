/* PETSc on the triplets that the benchmark wrote: set-up, products over AIJ and BAIJ, conjugate gradients with Jacobi.
 *
 * peer FILE BLOCK CG: FILE has the numbers of rows and elements, then the rows, columns and values as i32, i32 and f64.
 * BLOCK is the size of blocks for BAIJ, 0 for none. CG is 1 if the matrix is positive definite.
 * Prints a line "name seconds" for each measurement, and the sum of the product, for a check.
 */
#include <petscksp.h>

#define BATCHES 25
#define PRODUCTS 10

/* The least time of a product in batches, on the slowest rank. */
static double time_of_products(Mat a, Vec x, Vec y) {
    double least = 1e30;
    for (int batch = 0; batch < BATCHES; batch++) {
        MPI_Barrier(PETSC_COMM_WORLD);
        double start = MPI_Wtime();
        for (int product = 0; product < PRODUCTS; product++) MatMult(a, x, y);
        double own = (MPI_Wtime() - start) / PRODUCTS, slowest;
        MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
        if (slowest < least) least = slowest;
    }
    return least;
}

int main(int argc, char **argv) {
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    int rank, size;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    FILE *file = fopen(argv[1], "rb");
    int block = atoi(argv[2]), solves = atoi(argv[3]);
    int head[2];
    if (!file || fread(head, sizeof(int), 2, file) != 2) return 2;
    long rows = head[0], all = head[1];
    /* Each rank takes a range of the elements. */
    long from = all * rank / size, count = all * (rank + 1) / size - from;
    PetscInt *i = malloc(count * sizeof *i + 1), *j = malloc(count * sizeof *j + 1);
    double *values = malloc(count * sizeof *values + 1);
    int *read = malloc(count * sizeof *read + 1);
    for (int dim = 0; dim < 2; dim++) {
        fseek(file, 8 + 4 * (dim * all + from), SEEK_SET);
        if ((long)fread(read, 4, count, file) != count) return 2;
        for (long at = 0; at < count; at++) (dim ? j : i)[at] = read[at];
    }
    fseek(file, 8 + 8 * all + 8 * from, SEEK_SET);
    if ((long)fread(values, 8, count, file) != count) return 2;
    fclose(file);

    double setup = 1e30;
    Mat a;
    for (int round = 0; round < 3; round++) {
        /* The indices are changed in place. */
        PetscInt *rows_of = malloc(count * sizeof *i + 1), *columns_of = malloc(count * sizeof *j + 1);
        memcpy(rows_of, i, count * sizeof *i);
        memcpy(columns_of, j, count * sizeof *j);
        if (round) PetscCall(MatDestroy(&a));
        MPI_Barrier(PETSC_COMM_WORLD);
        double start = MPI_Wtime();
        PetscCall(MatCreate(PETSC_COMM_WORLD, &a));
        PetscCall(MatSetSizes(a, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
        PetscCall(MatSetType(a, MATAIJ));
        PetscCall(MatSetPreallocationCOO(a, count, rows_of, columns_of));
        PetscCall(MatSetValuesCOO(a, values, ADD_VALUES));
        double own = MPI_Wtime() - start, slowest;
        MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
        if (slowest < setup) setup = slowest;
        free(rows_of);
        free(columns_of);
    }
    Vec x, y;
    PetscCall(MatCreateVecs(a, &x, &y));
    PetscInt first, end;
    PetscCall(VecGetOwnershipRange(x, &first, &end));
    for (PetscInt at = first; at < end; at++) PetscCall(VecSetValue(x, at, (at % 17) - 8.0, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(x));
    PetscCall(VecAssemblyEnd(x));
    double aij = time_of_products(a, x, y), baij = 0, solve = 0, norm;
    PetscCall(VecNorm(y, NORM_2, &norm));
    PetscInt iterations = 0;
    if (block && rows % block == 0) {
        Mat b;
        PetscInt local = PETSC_DECIDE, total = rows / block;
        PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &local, &total));
        PetscCall(MatCreate(PETSC_COMM_WORLD, &b));
        PetscCall(MatSetSizes(b, local * block, local * block, rows, rows));
        PetscCall(MatSetType(b, MATBAIJ));
        /* More blocks than a row has; only products are timed. */
        PetscCall(MatSeqBAIJSetPreallocation(b, block, 256, NULL));
        PetscCall(MatMPIBAIJSetPreallocation(b, block, 256, NULL, 256, NULL));
        PetscCall(MatSetOption(b, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
        for (long at = 0; at < count; at++) PetscCall(MatSetValues(b, 1, i + at, 1, j + at, values + at, ADD_VALUES));
        PetscCall(MatAssemblyBegin(b, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(b, MAT_FINAL_ASSEMBLY));
        Vec xb, yb;
        PetscCall(MatCreateVecs(b, &xb, &yb));
        PetscCall(VecSet(xb, 1.0));
        baij = time_of_products(b, xb, yb);
    }
    if (solves) {
        KSP ksp;
        PC pc;
        PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
        PetscCall(KSPSetOperators(ksp, a, a));
        PetscCall(KSPSetType(ksp, KSPCG));
        PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
        PetscCall(KSPGetPC(ksp, &pc));
        PetscCall(PCSetType(pc, PCJACOBI));
        PetscCall(KSPSetTolerances(ksp, 1e-8, 1e-50, 1e10, 2000));
        PetscCall(KSPSetUp(ksp));
        PetscCall(MatMult(a, x, y));
        solve = 1e30;
        for (int round = 0; round < 5; round++) {
            PetscCall(VecSet(x, 0.0));
            MPI_Barrier(PETSC_COMM_WORLD);
            double start = MPI_Wtime();
            PetscCall(KSPSolve(ksp, y, x));
            double own = MPI_Wtime() - start, slowest;
            MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
            PetscCall(KSPGetIterationNumber(ksp, &iterations));
            if (slowest / iterations < solve) solve = slowest / iterations;
        }
    }
    if (!rank) {
        printf("setup %.9e\nAIJ %.9e\nnorm %.9e\n", setup, aij, norm);
        if (baij) printf("BAIJ %.9e\n", baij);
        if (solves) printf("CG %.9e\niterations %d\n", solve, (int)iterations);
    }
    return PetscFinalize();
}
