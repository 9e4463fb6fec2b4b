import { closeSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { AspyError } from '../../shared/contract/errors.ts'
import { DATA_END, DATA_START, PAGE_START } from './page-data.ts'
import { jsonOrNull } from '../../shared/json-fields.ts'

/** A larger file is refused unread; Aspy writes at most about a quarter of this. */
const MAX_PAGE_BYTES = 256 * 1024 * 1024

const header = z.object({
  aspy_export: z.literal(1),
  events: z.number().int().min(0),
  cut: z.number().int().min(0),
})

/** Recognizes a page by its first bytes, and any other HTML by its name. */
export function isPage(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
  return /\.html?$/i.test(path) || startOf(path) === PAGE_START
}

function startOf(path: string): string {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(PAGE_START.length)
    return start.toString('utf8', 0, readSync(file, start, 0, start.length, 0))
  } finally {
    closeSync(file)
  }
}

/**
 * Copies the export that a page embeds to the file `to`, without running or interpreting anything else in the page.
 * Returns how many of the session's events are missing. Throws `bad_input` if it is not a page of Aspy.
 */
export function unpackPage(path: string, to: string): { readonly missing: number } {
  if (startOf(path) !== PAGE_START) throw refused(path, 'it is not a page written by aspy export --format html')
  if (statSync(path).size > MAX_PAGE_BYTES) throw refused(path, 'it is larger than 256 MiB')
  const page = readFileSync(path)
  const start = page.indexOf(`\n${DATA_START}\n`)
  if (start === -1) throw refused(path, 'it does not contain the data of a session, or was cut off')
  const from = start + DATA_START.length + 2
  const end = page.indexOf(`\n${DATA_END}`, from)
  const data = page.subarray(from, end === -1 ? page.lastIndexOf('\n') + 1 : end + 1)
  const firstEnd = data.indexOf('\n')
  const parsed = header.safeParse(jsonOrNull(data.subarray(0, Math.max(0, firstEnd)).toString()))
  if (!parsed.success) throw refused(path, 'its data does not begin like an export')
  writeFileSync(to, data, { mode: 0o600, flag: 'wx' })
  return { missing: Math.max(0, parsed.data.events + parsed.data.cut - (linesIn(data) - 1)) }
}

const refused = (path: string, reason: string) => new AspyError('bad_input', `cannot import ${path}: ${reason}`)

function linesIn(data: Buffer): number {
  let lines = 0
  for (let at = data.indexOf(0x0a); at !== -1; at = data.indexOf(0x0a, at + 1)) lines += 1
  return lines
}
