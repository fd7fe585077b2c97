// A channel of a design as registers and memories, with integers: what a tool makes of the loops in the best case. An addition
// takes ADDITION cycles from the read of a memory word to its write, and nothing waits for it: an element that comes too soon reads
// the word of before.
module channel #(
    parameter LANES = 8,
    parameter WORD_BITS = 64,
    parameter PLACES = 2,
    parameter ADDRESSES = 64,
    parameter COLUMNS = 16,
    parameter BLOCK = 16,
    parameter ADDITION = 10,
    parameter INTERVAL = 1,
    parameter ADDRESS_AT = 33,
    parameter ADDRESS_BITS = 17,
    parameter PLACE_AT = 32,
    parameter PLACE_BITS = 1,
    parameter COLUMN_AT = 50,
    parameter COLUMN_BITS = 14,
    parameter [63:0] FILLER = 0
) (
    input wire clk,
    input wire reset,
    input wire [31:0] windows,
    input wire [31:0] addresses,
    input wire [31:0] steps,
    // Of the window `window`.
    input wire [31:0] slots,
    input wire [31:0] blocks,
    input wire [LANES*WORD_BITS-1:0] beat,
    input wire [BLOCK*32-1:0] x,
    output reg [31:0] window,
    output reg [31:0] at,
    output reg [2:0] state,
    output reg [31:0] cycles,
    output wire [PLACES*32-1:0] sums_out
);
    localparam CLEAR = 0, LOAD = 1, COMPUTE = 2, FLUSH = 3, DRAIN = 4, DONE = 5;

    reg [31:0] phase;
    reg [31:0] columns[COLUMNS];
    reg [PLACES*32-1:0] sums[LANES][ADDRESSES];
    // A memory word under way, and its address; the last one is written.
    reg under_way[LANES][ADDITION-1];
    reg [31:0] address_of[LANES][ADDITION-1];
    reg [PLACES*32-1:0] word_of[LANES][ADDITION-1];

    assign sums_out = sums[at % LANES][at / LANES];

    wire issues = state == COMPUTE && phase == 0;

    integer lane, stage, of;
    reg [WORD_BITS-1:0] word;
    reg [31:0] address, place;
    reg [PLACES*32-1:0] sum;

    always @(posedge clk) begin
        for (lane = 0; lane < LANES; lane = lane + 1) begin
            if (under_way[lane][ADDITION-2]) sums[lane][address_of[lane][ADDITION-2]] <= word_of[lane][ADDITION-2];
            for (stage = ADDITION - 2; stage > 0; stage = stage - 1) begin
                under_way[lane][stage] <= under_way[lane][stage-1] && !reset;
                address_of[lane][stage] <= address_of[lane][stage-1];
                word_of[lane][stage] <= word_of[lane][stage-1];
            end
            word = beat[lane*WORD_BITS+:WORD_BITS];
            address = 32'(word[ADDRESS_AT+:ADDRESS_BITS]);
            place = PLACES == 1 ? 0 : 32'(word[PLACE_AT+:PLACE_BITS]);
            sum = sums[lane][address % ADDRESSES];
            sum[place*32+:32] = sum[place*32+:32] + word[31:0] * columns[32'(word[COLUMN_AT+:COLUMN_BITS]) % COLUMNS];
            under_way[lane][0] <= issues && word != FILLER && !reset;
            address_of[lane][0] <= address;
            word_of[lane][0] <= sum;
            if (state == CLEAR) sums[lane][at] <= 0;
        end
        if (state == LOAD) for (of = 0; of < BLOCK; of = of + 1) columns[at*BLOCK+of] <= x[of*32+:32];
        if (reset) begin
            state <= addresses == 0 ? DONE : CLEAR;
            at <= 0;
            phase <= 0;
            window <= 0;
            cycles <= 0;
        end else if (state != DONE) begin
            cycles <= cycles + 1;
            at <= at + 1;
            case (state)
                CLEAR: if (at + 1 == addresses) begin
                    at <= 0;
                    state <= windows == 0 ? DRAIN : LOAD;
                end
                LOAD: if (at + 1 == blocks) begin
                    at <= 0;
                    state <= slots == 0 ? FLUSH : COMPUTE;
                end
                COMPUTE: if (phase + 1 != INTERVAL) begin
                    phase <= phase + 1;
                    at <= at;
                end else begin
                    phase <= 0;
                    if (at + 1 == slots) begin
                        at <= 0;
                        state <= FLUSH;
                    end
                end
                FLUSH: if (at + 1 == ADDITION - 1) begin
                    at <= 0;
                    window <= window + 1;
                    state <= window + 1 == windows ? DRAIN : LOAD;
                end
                DRAIN: if (at + 1 == steps) state <= DONE;
                default: ;
            endcase
        end
    end
endmodule
