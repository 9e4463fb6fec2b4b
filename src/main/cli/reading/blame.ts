import { withTypedHere } from '../../base/folder-of-run.ts'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import { errorCode } from '../../../shared/error-text.ts'
import { formatUsd } from '../../../shared/usd.ts'
import { isTelling, placeEqual } from '../../files/aligned-lines.ts'
import { askMounts, checkAnswers } from '../../files/dead-mounts.ts'
import { linesIn, withoutReturn } from '../../files/file-step.ts'
import { nameOf } from '../../files/joined-path.ts'
import { presentLines } from '../../files/present-lines.ts'
import { lineCount } from '../../files/session-change.ts'
import type { Client } from '../client.ts'
import { plain, plainLines, when } from '../table.ts'
import type { Printed } from './reading-command.ts'

type Recorded = OperationOutput<'files.blame'>['items'][number]

/** A line of the file as it is now. Without `recorded`, no recorded call is known to have written it. */
export interface BlamedLine extends Omit<Recorded, 'text' | 'earlier_forms'> {
  readonly text: string
  readonly reformatted: boolean
}

const NOBODY: Omit<Recorded, 'line' | 'text' | 'earlier_forms'> = {
  origin: 'unknown',
  event: null,
  prompt: null,
  prompt_text: null,
  session_id: null,
  turn_id: null,
  agent_id: null,
  model: null,
  ts_wall: null,
  cost_usd: null,
}

const WIDTH = 48

/** `aspy blame FILE[:LINE]`: finds the recorded lines in the file as it is now, and says which prompt wrote each. */
export async function blame(client: Client, input: OperationInput<'files.blame'>): Promise<Printed> {
  await askMounts()
  checkAnswers(resolve(input.path))
  // A file may have such a name itself.
  const [, named = input.path, number] = existsSync(input.path) ? [] : (/^(.+):(\d+)$/.exec(input.path) ?? [])
  const path = resolve(named)
  checkAnswers(path)
  const text = read(path) ?? (await refuseGone(client, path))
  const found = await recordedText(client, { ...input, path }, text)
  const all = blamedLines(text, found)
  // The empty rest behind the last newline is not a line for a person.
  const lines = all.at(-1)?.text === '' ? all.slice(0, -1) : all
  const wanted = number === undefined ? lines : lines.filter(({ line }) => line === Number(number))
  if (number !== undefined && wanted.length === 0)
    throw new AspyError('not_found', `${path} has no line ${number}, it has ${lines.length}`)
  return {
    json: { path, items: wanted },
    text: wanted.map((line) => written(line, number !== undefined)).join('\n'),
    ...(found.items.length > 0 ? {} : await whyNothing(client, path)),
  }
}

/** Bounds the earlier states of a file that are compared with the present one. */
const MAX_STATES = 40

/** Returns what is recorded of a file. A restore, a checkout or an undo brings an earlier text back, whole. */
export async function recordedText(client: Pick<Client, 'call'>, input: OperationInput<'files.blame'>, text: string) {
  const { lines } = linesIn(text)
  const found = await client.call('files.blame', input)
  if (input.until !== undefined || isText(found, lines) || !isTelling(text)) return found
  const { items } = await client.call('files.history', { path: input.path })
  const count = lineCount(lines.map((line) => ({ text: line })))
  const states = items.filter((item) => item.path === found.path && item.lines === count)
  for (const { uuid } of states.toReversed().slice(0, MAX_STATES)) {
    const earlier = await client.call('files.blame', { ...input, until: uuid })
    if (isText(earlier, lines)) return earlier
  }
  return found
}

const isText = ({ items }: OperationOutput<'files.blame'>, lines: readonly string[]): boolean =>
  lines.length === items.length && lines.every((line, at) => line === items[at]?.text)

/** Returns the lines of a present text, each with what the record says of it. */
export function blamedLines(text: string, found: OperationOutput<'files.blame'>): BlamedLine[] {
  const { lines } = linesIn(text)
  // Who brought a deleted file back may have written it again, unless it is the same text.
  const recorded = found.state === 'absent' && !isText(found, lines) ? [] : found.items
  // Of the very text that is recorded, each line is that one.
  const isSure = found.state === 'known' && found.doubted_since === null
  const isSame = isText(found, lines) && (isSure || isTelling(text))
  const texts = recorded.map((item) => (item.text === null ? null : withoutReturn(item.text)))
  // Beyond the ends of a file of which all is recorded is nothing.
  const between = found.is_whole ? 'whole' : 'part'
  const present = isSame ? [...lines.keys()] : presentLines(lines.map(withoutReturn), texts, between)
  if (isSure && !isSame) placeEqual(present, recorded, lines, false)
  return lines.map((now, at): BlamedLine => {
    const index = present[at]
    const { earlier_forms: forms = [], ...known }: Partial<Recorded> =
      (typeof index === 'number' ? recorded[index] : undefined) ?? {}
    const reformatted = typeof known.text === 'string' && withoutReturn(known.text) !== withoutReturn(now)
    // Who undid a call that only formatted it, nobody knows.
    if (reformatted && forms.includes(withoutReturn(now)))
      return { ...NOBODY, line: at + 1, text: now, reformatted: false }
    return { ...NOBODY, ...known, line: at + 1, text: now, reformatted }
  })
}

/** Says that the record has nothing of a file, and where it has one of a folder of the same name, which may be another. */
async function whyNothing(client: Client, path: string): Promise<{ readonly aside?: string }> {
  const countOf = async (of: string) => {
    const { items, partial } = await client.call('files.history', { path: of })
    return items.length + Number(partial)
  }
  if ((await countOf(path)) > 0) return {}
  const { items } = await client.call('team.projects', {})
  const parts = path.split('/')
  const places = items.flatMap(({ project }) => {
    const at = project === null ? -1 : parts.lastIndexOf(nameOf(project))
    return at < 1 ? [] : [[project, ...parts.slice(at + 1)].join('/')]
  })
  const aside = `Nothing recorded touched ${path}.`
  for (const other of [...new Set(places)].slice(0, MAX_STATES))
    if (other !== path && (await countOf(other)) > 0)
      return { aside: `${aside} The record has ${other}; whether that is the same file, it does not say.` }
  return { aside }
}

/** Returns the text of a file; null if there is none. */
function read(path: string): string | null {
  try {
    const stat = statSync(path)
    // A pipe or a device may never end.
    if (!stat.isFile() && !stat.isDirectory()) throw new AspyError('bad_input', `${path} is not a plain file`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof AspyError ? null : errorCode(error)
    if (code === null) throw error
    if (code === 'ENOENT') return null
    const why = code === 'EISDIR' ? 'is a folder; name a file in it' : `cannot be read (${code})`
    throw new AspyError('bad_input', `${path} ${why}`)
  }
}

async function refuseGone(client: Client, path: string): Promise<never> {
  const { items, partial } = await client.call('files.history', { path })
  const isKnown = items.length > 0 || partial
  const why = isKnown
    ? `${path} is gone; its last recorded text is what aspy file show prints, and aspy file restore writes again`
    : `there is no file ${path}, and nothing recorded touched it`
  throw new AspyError('not_found', why)
}

function written(line: BlamedLine, isAlone: boolean): string {
  const { origin, ts_wall, prompt_text: asked, session_id, reformatted } = line
  const who =
    origin === 'proven' || origin === 'derived' ? (asked ?? 'no prompt recorded').replaceAll(/\s+/g, ' ') : SAID[origin]
  const at = ts_wall === null || origin === 'unknown' ? '' : `${when(ts_wall)}  `
  const head = firstCharacters(plain(`${at}${who}${reformatted ? ' (reformatted)' : ''}`), WIDTH).padEnd(WIDTH)
  const text = `${head} ${String(line.line).padStart(5)}  ${plainLines(line.text)}`
  if (!isAlone || session_id === null || line.event === null) return text
  const cost = line.cost_usd === null ? '' : `, the turn cost ${formatUsd(line.cost_usd)}`
  return `${text}\n\nPrompt: ${plain(asked ?? 'none recorded')}\nSession ${session_id}, turn ${line.turn_id}, model ${plain(line.model ?? 'unknown')}${cost}\nEvent ${line.event} (${withTypedHere(`aspy trace ${line.event}`)})`
}

const SAID = { seen: 'was there before', unknown: 'not known' } as const
