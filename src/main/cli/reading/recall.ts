import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationInput } from '../../../shared/contract/index.ts'
import { shortened } from '../../../shared/cut-text.ts'
import { counted } from '../../../shared/counted.ts'
import { describeCopies, describeHits, describeMatch, HIT_NAMES } from '../../../shared/hit-words.ts'
import { describeNotes } from '../../../shared/recall-notes.ts'
import type { Client } from '../client.ts'
import { plain, plainLines, shownIds, when } from '../table.ts'
import { terminalWidth } from '../wrap.ts'
import { toPaste, type Printed } from './reading-command.ts'

/** Options of a pack, and options for how words are matched. */
interface RecallOptions {
  readonly client?: string | undefined
  readonly pack?: boolean | undefined
  readonly title?: string | undefined
  readonly actions?: boolean | string | undefined
}

/** `aspy recall`: searches the conversation, and prints the matches, or a pack of them. */
export async function recall(
  client: Client,
  sent: OperationInput<'recall.search'>,
  { client: ofClient, pack: asPack, title, actions = false }: RecallOptions,
): Promise<Printed> {
  if (asPack !== true && (title !== undefined || actions))
    throw new AspyError('bad_input', '--title and --with-actions describe a pack: add --pack')
  const input = { ...sent, ...(ofClient === undefined ? {} : { of_client: ofClient }) }
  if (asPack) {
    const pack = await client.call('recall.context', { ...input, title, actions, to_paste: true })
    const aside = pack.note === undefined ? {} : { aside: plain(pack.note) }
    return toPaste({ json: pack, text: plainLines(pack.text), ...aside })
  }
  const found = await client.call('recall.search', input)
  const uuids = found.items.map(({ uuid }) => uuid)
  const ids = shownIds(uuids)
  const hits = found.items.map((hit, at) => {
    const head = `${when(hit.timestamp)}  ${HIT_NAMES[hit.match_type]}  ${ids[at] ?? hit.uuid}`
    const asides = [describeMatch(hit), plain(describeCopies(hit))].filter((aside) => aside !== '')
    return `${head}${titled(hit.session_title, terminalWidth() - head.length)}\n  ${marked(hit.content)}${asides.map((aside) => `\n  ${aside}`).join('')}`
  })
  const tools = input.tools === true ? '' : ', or add --tools to search what tools were asked and printed'
  const isNew = hits.length === 0 && (await client.call('sessions.list', { limit: 1 })).items.length === 0
  const none = isNew ? 'Nothing is recorded yet.' : `No matches. Try fewer or other words${tools}.`
  const lines = hits.length === 0 ? [none] : [...hits, describeHits(found, counted)]
  const notes = describeNotes(found.notes).map(plain)
  // Hits for a corrected query must not pass for an answer to the typed one.
  const text = found.notes?.did_you_mean?.searched === true ? [...notes, ...lines] : [...lines, ...notes]
  return { json: found, text: text.join('\n') }
}

const titled = (title: string | undefined, room: number): string =>
  title === undefined || room < LEAST_TITLE ? '' : `  ${shortened(plain(title), Math.min(80, room - 2))}`
const LEAST_TITLE = 12

/** Highlights matches on a terminal; leaves them plain in a pipe. */
function marked(content: string): string {
  const [on, off] =
    process.stdout.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'
      ? ['\u001b[1m', '\u001b[0m']
      : ['', '']
  return plain(content).replaceAll('<mark>', on).replaceAll('</mark>', off)
}
