import { basename } from 'node:path'

/**
 * Returns when a rollout began, in ms since 1970, by its name: a UUIDv7, or else a local time or day. Null for other
 * names.
 */
export function rolloutBegan(path: string): number | null {
  const name = basename(path)
  const [, high, low] = /([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\.json/.exec(name) ?? []
  if (high !== undefined && low !== undefined) return Number.parseInt(high + low, 16)
  const [, day, time = '00-00-00'] = /^rollout-(\d{4}-\d\d-\d\d)(?:T(\d\d-\d\d-\d\d))?-/.exec(name) ?? []
  const began = Date.parse(`${day}T${time.replaceAll('-', ':')}`)
  return Number.isNaN(began) ? null : began
}
