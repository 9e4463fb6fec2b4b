/** Values over the double's IPC: JSON with marks for what JSON lacks. Functions do not cross, as in Electron. */

export function encodeValue(value: unknown): string {
  return JSON.stringify(value === undefined ? { $undefined: true } : walk(value))
}

function walk(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw new Error('An object could not be cloned.')
  if (value === undefined) return { $undefined: true }
  if (typeof value === 'bigint') return { $bigint: String(value) }
  if (value === null || typeof value !== 'object') return value
  if (value instanceof Date) return { $date: value.getTime() }
  if (value instanceof Uint8Array) return { $bytes: [...value] }
  if (Array.isArray(value)) return value.map(walk)
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, walk(entry)]))
}

export function decodeValue(text: string): unknown {
  return revive(JSON.parse(text))
}

function revive(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(revive)
  const entry = value as Record<string, unknown>
  if ('$undefined' in entry) return undefined
  if ('$bigint' in entry) return BigInt(String(entry['$bigint']))
  if ('$date' in entry) return new Date(Number(entry['$date']))
  if ('$bytes' in entry) return Uint8Array.from(entry['$bytes'] as number[])
  if ('$function' in entry) throw new Error('An object could not be cloned.')
  return Object.fromEntries(Object.entries(entry).map(([key, part]) => [key, revive(part)]))
}
