/** Values that a caller may send, made from a seed: wrong types, wrong sizes, and what parsers stumble over. */

const TEXTS = [
  '',
  ' ',
  '\0',
  '\u202E',
  '\uD800',
  '\uFEFF',
  'solarized',
  '"',
  "'; DROP TABLE events; --",
  '%',
  '_',
  '*',
  '(((((',
  ')))',
  'NEAR(a b, 3)',
  'a AND OR NOT b',
  'tool:',
  'project:""',
  'since:9999999d',
  '../../../../etc/passwd',
  'file:///etc/passwd',
  '__proto__',
  'constructor',
  '2026-02-30',
  '2026-11-22T25:61:61Z',
  '-1',
  '1e309',
  'NaN',
  '\r\n\r\nGET / HTTP/1.1',
  '${jndi:ldap://x}',
  '<script>alert(1)</script>',
  '[redacted:x:0000]',
  '😀'.repeat(500),
  'a'.repeat(5000),
  '"'.repeat(2000),
  'or '.repeat(1000),
  '[['.repeat(1000),
]
const NUMBERS = [0, -0, 1, -1, 0.5, 20, 1e9, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308]

const FIELDS = ['session_id', 'query', 'limit', 'cursor', 'since', 'until', 'uuid', 'id', '__proto__', 'x', 'params']

/** Returns a value of any type, nested at most a few levels; rarely a hundred. */
export function hostileValue(random: () => number, depth = 0): unknown {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const kind = Math.floor(random() * (depth > 3 ? 5 : 8))
  switch (kind) {
    case 0:
    case 1:
      return pick(TEXTS)
    case 2:
      return pick(NUMBERS)
    case 3:
      return random() < 0.5
    case 4:
      return null
    case 5:
      return Array.from({ length: Math.floor(random() * 5) }, () => hostileValue(random, depth + 1))
    case 6:
      return hostileObject(random, FIELDS, depth + 1)
    default:
      return random() < 0.1 ? nested(400) : pick(TEXTS) + pick(TEXTS)
  }
}

/** Returns an object with some of these fields, each of any type. */
export function hostileObject(random: () => number, fields: readonly string[], depth = 0): object {
  const entries = fields.flatMap((field) => (random() < 0.4 ? [[field, hostileValue(random, depth + 1)] as const] : []))
  return Object.fromEntries(entries)
}

/** Returns a text with some of its characters removed, repeated, replaced or cut off. */
export function damagedText(random: () => number, text: string): string {
  const at = Math.floor(random() * text.length)
  const length = 1 + Math.floor(random() * 20)
  switch (Math.floor(random() * 5)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + text.slice(at + length)
    case 2:
      return text.slice(0, at) + text.slice(at, at + length).repeat(3) + text.slice(at)
    case 3:
      return text.slice(0, at) + String(TEXTS[Math.floor(random() * TEXTS.length)]) + text.slice(at + 1)
    default:
      return text
  }
}

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}
