import { readNotation } from './notation.ts'
import { judgeValue } from './judge-value.ts'
import { nameKind } from './secret-name.ts'

const LONGEST_NAME = 100
const LONGEST = 1000

/**
 * True if a JSON field holds a secret, judged by its name: `{ "password": "hunter2" }`. Not for numbers under `token`.
 */
export function isSecretField(name: string, value: string | number): boolean {
  if (name.length > LONGEST_NAME) return false
  const kind = nameKind(name)
  if (kind === null || (typeof value === 'number' && kind !== 'password' && kind !== 'secret')) return false
  const text = String(value)
  if (text.length > LONGEST || /\[redacted:|<private>/i.test(text)) return false
  const ahead = `": ${JSON.stringify(text)}\n}\n`
  const notation = readNotation(ahead, '{\n  "', name)
  if (notation === null || notation === 'more') return false
  return judgeValue(text, { kind, name, before: '{\n  "', notation, ahead })
}

/** True if a string in a list names the string after it: `["--password", "hunter2"]`, `["x-api-key", "…"]`. */
export function namesNext(item: string, next: string, isPair: boolean): boolean {
  const isFlag = /^--?[A-Za-z][\w-]{2,60}$/.test(item)
  if (!isFlag && !(isPair && /^[A-Za-z][\w.-]{2,60}$/.test(item))) return false
  return isSecretField(item.replace(/^-+/, ''), next) && (!isFlag || !next.startsWith('-'))
}
