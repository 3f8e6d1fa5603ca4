/** A field of a message, as it is on the wire: https://protobuf.dev/programming-guides/encoding/ */
export interface Field {
  number: number;
  /** A number for varints and fixed64, else the bytes. */
  value: bigint | Buffer;
}

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

/** The fields of a message, in their order. Throws for what is none. */
export function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;

  function varint(): bigint {
    let result = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
  }

  function take(length: number): Buffer {
    if (at + length > bytes.length) throw new Error(`a field ends after its message, at byte ${at}`);
    at += length;
    return bytes.subarray(at - length, at);
  }

  function read(wireType: number): Field['value'] {
    switch (wireType) {
      case VARINT:
        return varint();
      case FIXED64:
        return take(8).readBigUInt64LE();
      case LENGTH:
        return take(Number(varint()));
      case FIXED32:
        return BigInt(take(4).readUInt32LE());
      default:
        throw new Error(`wire type ${wireType} at byte ${at}`);
    }
  }

  while (at < bytes.length) {
    const tag = Number(varint());
    fields.push({ number: tag >> 3, value: read(tag & 7) });
  }
  return fields;
}

/** All values of a field. */
export function bytesOf(fields: readonly Field[], number: number): Buffer[] {
  return fields.flatMap((field) => (field.number === number && Buffer.isBuffer(field.value) ? [field.value] : []));
}

export function textOf(fields: readonly Field[], number: number): string {
  return bytesOf(fields, number)[0]?.toString() ?? '';
}

export function numberOf(fields: readonly Field[], number: number): bigint {
  const value = fields.find((field) => field.number === number)?.value;
  return typeof value === 'bigint' ? value : 0n;
}
