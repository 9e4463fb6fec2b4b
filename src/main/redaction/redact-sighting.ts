import { isObject } from '../../shared/json-fields.ts'

export interface Fields {
  readonly [name: string]: unknown
}

/**
 * Redacts a draft's sighting with `redact`. An object that it shares with the payload is redacted once and stays
 * shared, so that it is also sent once: the details of tool results are most of an import's data.
 */
export function redactSighting(
  sighting: Fields,
  payload: { readonly before: object; readonly after: object },
  redact: (fields: Fields) => Fields,
): Fields {
  const before = payload.before as Fields
  const after = payload.after as Fields
  const shared = Object.keys(sighting).filter((name) => isObject(sighting[name]) && sighting[name] === before[name])
  if (shared.length === 0) return redact(sighting)
  const rest = redact({ ...sighting, ...Object.fromEntries(shared.map((name) => [name, null])) })
  return { ...rest, ...Object.fromEntries(shared.map((name) => [name, after[name]])) }
}
