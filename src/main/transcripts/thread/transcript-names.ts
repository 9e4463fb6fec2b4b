import { basename } from 'node:path'

/** Transcripts are lines of JSON; those that Codex has not used for a week are compressed. */
const TRANSCRIPT = /\.jsonl$|^rollout-.*\.jsonl\.zst$/
const ROLLOUT = /^rollout-.*\.jsonl(?:\.zst)?$/
const COMPRESSED = /\.jsonl\.zst$/

export const isTranscriptPath = (path: string): boolean => TRANSCRIPT.test(basename(path))

/** True for a transcript of Codex, by its name. */
export const isRolloutPath = (path: string): boolean => ROLLOUT.test(basename(path))

export const isCompressedPath = (path: string): boolean => COMPRESSED.test(path)

/** Returns the path that a compressed file had before, and has again when its session is resumed. */
export const plainPath = (path: string): string => path.replace(/\.zst$/, '')

/** Returns when a rollout was begun, in ms since 1970, by its name: a UUIDv7, or else a local time. Null for other files. */
export function rolloutBegan(path: string): number | null {
  const name = basename(path)
  if (!isRolloutPath(name)) return null
  const [, high, low] = /([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\.jsonl/.exec(name) ?? []
  if (high !== undefined && low !== undefined) return Number.parseInt(high + low, 16)
  const [, day, time] = /^rollout-(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)/.exec(name) ?? []
  const began = Date.parse(`${day}T${time?.replaceAll('-', ':')}`)
  return Number.isNaN(began) ? null : began
}
