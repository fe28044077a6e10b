import { assert, constantFrom, integer, jsonValue, oneof, property, record, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { encode, readMessage } from "../../src/wire/message.ts";

const read = (line: string | Buffer) => readMessage(Buffer.from(line));
/** A line, its envelope's version already in it. */
const say = (fields: string) => read(`{"jsonrpc":"2.0",${fields}}`);

describe("a line is read as", () => {
  it.each<[string, string, object]>([
    ["a request", '"id":1,"method":"a/b","params":{"x":[1]}', { id: 1, method: "a/b", params: { x: [1] } }],
    ["a request without params", '"id":"1","method":"m"', { id: "1", method: "m", params: undefined }],
    ["a request whose id is null", '"id":null,"method":"m"', { id: null, method: "m" }],
    ["a request whose params are no object", '"id":1,"method":"m","params":7', { params: 7 }],
    ["a request, whatever else is in it", '"id":1,"method":"m","result":1,"x":{}', { id: 1, method: "m" }],
  ])("%s", (_name, fields, wanted) => {
    expect(say(fields)).toMatchObject({ kind: "request", ...wanted });
  });

  it("a notification", () => {
    expect(say('"method":"m","params":[]')).toEqual({ kind: "notification", method: "m", params: [] });
  });

  it.each<[string, string, object]>([
    ["with a result", '"id":1,"result":{}', { id: 1, result: {} }],
    ["with a result that is null", '"id":"x","result":null', { id: "x", result: null }],
    [
      "with an error and what is in it",
      '"id":1,"error":{"code":-32000,"message":"No.","data":{"a":1}}',
      { id: 1, error: { code: -32000, message: "No.", data: { a: 1 } } },
    ],
    ["with a foreign error code", '"id":1,"error":{"code":42,"message":""}', { error: { code: 42 } }],
  ])("a response %s", (_name, fields, wanted) => {
    expect(say(fields)).toMatchObject({ kind: "response", ...wanted });
  });

  it("what it was written from", () => {
    const id = oneof(
      string(),
      integer(),
      constantFrom(null, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER),
    );
    assert(
      property(record({ id, method: string(), params: jsonValue() }), (message) => {
        const line = encode({ jsonrpc: "2.0", ...message });
        expect(line.at(-1)).toBe(0x0a);
        expect(line.indexOf(0x0a)).toBe(line.length - 1);
        const plain = JSON.parse(JSON.stringify(message));
        expect(readMessage(line.subarray(0, -1))).toEqual({ kind: "request", ...plain });
      }),
    );
  });
});

describe("a line is refused", () => {
  it.each(["", "{", "nonsense", "{}{}", "\u00a0{}", "{'a':1}", "[1,2", "NaN"])("as no JSON: %j", (line) => {
    expect(read(line)).toMatchObject({ kind: "fault", code: -32700, id: null, isResponse: false });
  });

  it.each([
    ["a byte that begins nothing", [0x22, 0xff, 0x22]],
    ["a character that is cut off", [0x22, 0xe2, 0x82, 0x22]],
    ["an overlong form", [0x22, 0xc0, 0xaf, 0x22]],
    ["half a pair of surrogates", [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ])("as no UTF-8: %s", (_name, bytes) => {
    const line = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","method":"m","params":'),
      Buffer.from(bytes),
      Buffer.from("}"),
    ]);
    expect(readMessage(line)).toMatchObject({ kind: "fault", code: -32700, id: null });
  });

  it("but not for a replacement character that was really sent", () => {
    expect(say('"method":"m","params":["\ufffd"]')).toMatchObject({ params: ["\ufffd"] });
  });

  it.each([
    ["a batch", "[]"],
    ["a batch of one good message", '[{"jsonrpc":"2.0","id":1,"method":"m"}]'],
    ["a string", '"m"'],
    ["a number", "1"],
    ["null", "null"],
    ["true", "true"],
    ["an empty object", "{}"],
    ["a message of no version", '{"id":1,"method":"m"}'],
    ["a message of version 1.0", '{"jsonrpc":"1.0","id":1,"method":"m"}'],
    ["a version that is a number", '{"jsonrpc":2.0,"id":1,"method":"m"}'],
    ["a method that is no string", '{"jsonrpc":"2.0","id":1,"method":1}'],
    ["a method that is null", '{"jsonrpc":"2.0","id":1,"method":null}'],
    ["an id that is true", '{"jsonrpc":"2.0","id":true,"method":"m"}'],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"m"}'],
    ["an id that is a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"m"}'],
    ["neither method nor result nor id", '{"jsonrpc":"2.0","params":{}}'],
  ])("as no message, to be answered under null: %s", (_name, line) => {
    expect(read(line)).toMatchObject({ kind: "fault", code: -32600, id: null, isResponse: false });
  });

  it.each(["9007199254740992", "-9007199254740992", "9007199254740993", "1e300", "1e999"])(
    "rather than answered under a changed id: %s",
    (id) => {
      const fault = say(`"id":${id},"method":"m"`);
      expect(fault).toMatchObject({ kind: "fault", code: -32600, id: null });
      expect(fault).toHaveProperty("message", expect.stringContaining("9007199254740991"));
    },
  );

  it.each<[string, string, object]>([
    ["both a result and an error", '"id":5,"result":1,"error":{"code":1,"message":"x"}', { answers: 5 }],
    ["a result beside an error that is null", '"id":5,"result":1,"error":null', { answers: 5 }],
    ["neither", '"id":"5"', { answers: "5" }],
    ["an error that is null", '"id":5,"error":null', { answers: 5 }],
    ["an error without a code", '"id":5,"error":{"message":"x"}', { answers: 5 }],
    ["an error whose code is no integer", '"id":5,"error":{"code":1.5,"message":"x"}', { answers: 5 }],
    ["an error without a message", '"id":5,"error":{"code":1}', { answers: 5 }],
    ["an error that is text", '"id":5,"error":"x"', { answers: 5 }],
  ])("as no answer, but with the request that it was for: %s", (_name, fields, wanted) => {
    expect(say(fields)).toMatchObject({ kind: "fault", isResponse: true, ...wanted });
  });

  it.each(['{"jsonrpc":"2.0","result":1}', '{"id":1,"result":1}', '{"jsonrpc":"2.0","id":1.5,"result":1}'])(
    "as an answer to nobody can tell what: %s",
    (line) => {
      const fault = read(line);
      expect(fault).toMatchObject({ kind: "fault", isResponse: true });
      expect(fault).not.toHaveProperty("answers");
    },
  );
});
