import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface MultipliedTranscripts {
  readonly files: number
  readonly bytes: number
  /** Files written to within 30 days of the newest. */
  readonly recent: { readonly files: number; readonly bytes: number; readonly sinceMs: number }
}

const DAY_MS = 86_400_000
const RECENT_DAYS = 30
const UUID = /[0-9a-f]{8}(?=-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/g
const ID_OF_API = /\b(?:msg|req|toolu)_[A-Za-z0-9]{8,}/g
const AGENT_ID = /(?<="agentId":"|^agent-)[0-9a-f]{7,}/g
const TIMESTAMP = /(?<="timestamp":")\d{4}-\d\d-\d\dT[\d:.]+Z/g

/**
 * Copies a folder's transcripts this many times, as different sessions: ids are replaced, alike in all files of a copy,
 * so that no two copies join. Each copy is 30 days older than the previous one, and a file was last written to at its
 * last line.
 */
export function multiplyTranscripts(from: string, into: string, copies: number): MultipliedTranscripts {
  const paths = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'))
  if (paths.length === 0) throw new Error(`no transcripts in ${from}`)
  const written: { readonly bytes: number; readonly atMs: number }[] = []
  for (const path of paths.toSorted()) {
    // Each byte is a character: ids and times are ASCII, the rest is copied as it is.
    const text = readFileSync(join(from, path), 'latin1')
    for (let copy = 0; copy < copies; copy += 1) {
      const name = withOwnIds(basename(path), copy)
      const target = join(into, dirname(path).replaceAll(/[/\\.]/g, '-') + String(copy), name)
      mkdirSync(dirname(target), { recursive: true })
      let atMs = 0
      const lines = withOwnIds(text, copy).replaceAll(TIMESTAMP, (time) => {
        const shifted = Date.parse(time) - copy * RECENT_DAYS * DAY_MS
        atMs = Math.max(atMs, shifted)
        return new Date(shifted).toISOString()
      })
      writeFileSync(target, lines, 'latin1')
      utimesSync(target, atMs / 1000, atMs / 1000)
      written.push({ bytes: lines.length, atMs })
    }
  }
  const newest = written.reduce((latest, { atMs }) => Math.max(latest, atMs), 0)
  const sinceMs = newest - RECENT_DAYS * DAY_MS
  const recent = written.filter(({ atMs }) => atMs >= sinceMs)
  const sum = (of: typeof written) => of.reduce((total, { bytes }) => total + bytes, 0)
  return { files: written.length, bytes: sum(written), recent: { files: recent.length, bytes: sum(recent), sinceMs } }
}

function withOwnIds(text: string, copy: number): string {
  if (copy === 0) return text
  const other = (hex: string) => ((Number.parseInt(hex, 16) ^ Math.imul(copy, 0x9e3779b1)) >>> 0).toString(16)
  return text
    .replaceAll(UUID, (hex) => other(hex).padStart(8, '0'))
    .replaceAll(ID_OF_API, (id) => `${id}c${copy}`)
    .replaceAll(AGENT_ID, (id) => `${id.slice(0, -7)}${other(id.slice(-7)).padStart(8, '0').slice(-7)}`)
}
