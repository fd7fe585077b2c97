"""Compiles the loop of a lane, with integers, to SystemVerilog by the passes of CIRCT in the package PyCDE.

loop.py ADDRESS_AT ADDRESS_BITS COLUMN_AT SUMS COLUMNS SLOTS > loop.sv
"""

import sys

from pycde import circt
from pycde.circt import passmanager
from pycde.circt.ir import Context, Module

ADDRESS_AT, ADDRESS_BITS, COLUMN_AT, SUMS, COLUMNS, SLOTS = (int(argument) for argument in sys.argv[1:])

LOOP = f"""
func.func @lane(%end: index, %words: memref<{SLOTS}xi64>, %x: memref<{COLUMNS}xi32>, %sums: memref<{SUMS}xi32>) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  cf.br ^head(%zero : index)
^head(%slot: index):
  %more = arith.cmpi ult, %slot, %end : index
  cf.cond_br %more, ^body, ^done
^body:
  %word = memref.load %words[%slot] : memref<{SLOTS}xi64>
  %value = arith.trunci %word : i64 to i32
  %address_at = arith.constant {ADDRESS_AT} : i64
  %address_mask = arith.constant {2**ADDRESS_BITS - 1} : i64
  %column_at = arith.constant {COLUMN_AT} : i64
  %from_address = arith.shrui %word, %address_at : i64
  %address_bits = arith.andi %from_address, %address_mask : i64
  %address = arith.index_cast %address_bits : i64 to index
  %column_bits = arith.shrui %word, %column_at : i64
  %column = arith.index_cast %column_bits : i64 to index
  %factor = memref.load %x[%column] : memref<{COLUMNS}xi32>
  %product = arith.muli %value, %factor : i32
  %sum = memref.load %sums[%address] : memref<{SUMS}xi32>
  %new = arith.addi %sum, %product : i32
  memref.store %new, %sums[%address] : memref<{SUMS}xi32>
  %next = arith.addi %slot, %one : index
  cf.br ^head(%next : index)
^done:
  return
}}
"""

PASSES = [
    "flatten-memref,lower-cf-to-handshake,handshake-lower-extmem-to-hw{wrap-esi=false}",
    "canonicalize,handshake.func(handshake-remove-block-structure),canonicalize",
    "handshake.func(handshake-materialize-forks-sinks,handshake-insert-buffers{strategy=cycles})",
    "lower-handshake-to-hw,lower-esi-types,lower-esi-ports,lower-esi-to-hw,canonicalize,cse",
    "map-arith-to-comb,hw.module(lower-seq-fifo),hw.module(lower-seq-hlmem),lower-seq-to-sv,canonicalize",
    "hw.module(prettify-verilog)",
]

with Context() as context:
    circt.register_dialects(context)
    # The dialect of memories is registered when a pass that needs it has run.
    passmanager.PassManager.parse("builtin.module(flatten-memref)").run(Module.parse("module {}").operation)
    module = Module.parse(LOOP)
    for passes in PASSES:
        passmanager.PassManager.parse(f"builtin.module({passes})").run(module.operation)
    circt.export_verilog(module, sys.stdout)
