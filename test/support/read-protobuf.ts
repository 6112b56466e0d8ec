/** The fields of a message of Protocol Buffers by number: bytes where they have a length, else the number. */
export type ProtoFields = ReadonlyMap<number, readonly (Buffer | bigint)[]>

/** Reads the wire format: no schema is needed to walk it. */
export function fieldsOf(message: Buffer): ProtoFields {
  const fields = new Map<number, (Buffer | bigint)[]>()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at)
      at += 1
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  const fixed = (length: number): Buffer => {
    at += length
    return message.subarray(at - length, at)
  }
  const read = (wire: number): Buffer | bigint => {
    if (wire === 0) return varint()
    if (wire === 1) return fixed(8).readBigUInt64LE()
    if (wire === 5) return BigInt(fixed(4).readUInt32LE())
    if (wire === 2) return fixed(Number(varint()))
    throw new Error(`wire type ${wire}`)
  }
  while (at < message.length) {
    const tag = Number(varint())
    const number = tag >> 3
    fields.set(number, [...(fields.get(number) ?? []), read(tag & 7)])
  }
  return fields
}
