import { existsSync, lstatSync, renameSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { connect } from '../client.ts'
import type { JsonFlag } from '../flags.ts'
import { ranges } from '../reading/files.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { counted } from '../table.ts'

interface RestoreFlags extends JsonFlag {
  readonly at?: string
  readonly out?: string
  readonly over?: boolean
}

/**
 * `aspy file restore`: writes the file as it was after an event. It never replaces one: with `--over`, the present file
 * is kept beside it. A text with holes goes to a new place only.
 */
export async function restoreFile(settings: RunSettings, named: string, flags: RestoreFlags): Promise<void> {
  const path = resolve(named)
  const client = await connect(settings)
  const found = await client.call('files.at', { path, uuid: flags.at })
  const doubts = doubtsOf(found)
  const out = flags.out === undefined ? (isThere(path) ? `${path}.restored` : path) : resolve(flags.out)
  const kept = keepPresent(out, flags.over === true, doubts.length === 0)
  try {
    // Fails if something is there, a link that leads nowhere included.
    writeFileSync(out, found.lines.map(({ text }) => text ?? '').join('\n'), { flag: 'wx' })
  } catch (error) {
    if (kept !== null && !isThere(out)) renameSync(kept, out)
    throw error
  }
  const length = found.lines.length - (found.lines.at(-1)?.text === '' ? 1 : 0)
  const told = [
    `Wrote ${counted(length, 'line')} to ${out}.`,
    ...(kept === null ? [] : [`The file before is ${kept}.`]),
  ]
  process.stdout.write(
    `${flags.json ? JSON.stringify({ path, out, kept, lines: length, holes: found.holes, doubts }) : [...told, ...doubts].join('\n')}\n`,
  )
}

/** Returns why the text may not be the file's; throws if the record has none of it. */
function doubtsOf({ path, lines, holes, is_whole, doubted_since: since }: OperationOutput<'files.at'>): string[] {
  if (!lines.some(({ text }) => text !== null))
    throw new AspyError('not_found', `the record does not say what ${path} contained; see aspy file history ${path}`)
  return [
    ...(holes.length === 0
      ? []
      : [`Not recorded, and empty here: ${counted(holes.length, 'line')} (${ranges(holes)}).`]),
    ...(is_whole ? [] : ['The file may have had more lines.']),
    ...(since === null ? [] : [`A call since then may have changed it: event ${since}.`]),
  ]
}

/** Makes place for the file. Returns where the present one went; null if there is none. */
function keepPresent(out: string, isOver: boolean, isSure: boolean): string | null {
  if (!isThere(out)) return null
  if (!isOver)
    throw new AspyError(
      'bad_input',
      `${out} exists: name a new file with --out, or add --over, which keeps the present one`,
    )
  if (!isSure)
    throw new AspyError(
      'bad_input',
      `what is recorded of the file may be incomplete, so it replaces none: name a new file with --out`,
    )
  if (!lstatSync(out).isFile())
    throw new AspyError('bad_input', `${out} is not a plain file: name a new file with --out`)
  let kept = `${out}.before`
  for (let number = 2; isThere(kept); number += 1) kept = `${out}.before-${number}`
  renameSync(out, kept)
  return kept
}

const isThere = (path: string): boolean => existsSync(path) || lstatSync(path, { throwIfNoEntry: false }) !== undefined
