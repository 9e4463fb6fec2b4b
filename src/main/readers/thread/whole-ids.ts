import type { Reader } from '../../store/read/reader.ts'
import { eventNamed, sessionNamed } from '../../store/read/short-ids.ts'
import { isObject } from '../../../shared/json-fields.ts'

/** Replaces shortened session ids and uuids in an operation's input. @throws AspyError bad_input if one is ambiguous */
export function withWholeIds(reader: Reader, input: unknown): unknown {
  if (!isObject(input)) return input
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, wholeField(reader, name, value)]))
}

function wholeField(reader: Reader, name: string, value: unknown): unknown {
  if (Array.isArray(value)) {
    if (name === 'uuids') return value.map((each) => wholeField(reader, 'uuid', each))
    return name === 'hits' || name === 'turns' ? value.map((each) => withWholeIds(reader, each)) : value
  }
  if (typeof value !== 'string') return value
  if (name === 'session_id') return sessionNamed(reader, value)
  return name === 'uuid' ? eventNamed(reader, value) : value
}
