import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { count, plain, plainLines, table, when } from '../table.ts'
import type { Printed, ScopeFlags } from './reading.ts'

export interface RememberFlags extends ScopeFlags {
  readonly add?: string
  readonly confirms?: string
  readonly forget?: string
  readonly show?: string
  readonly category?: string
  readonly confidence?: string
  readonly pack?: boolean
}

/** `aspy remember [WORDS…]`: lists what was remembered; with `--add`, `--show` or `--forget`, does that. */
export function remember(client: Client, words: string, flags: RememberFlags): Promise<Printed> {
  const { add, forget, show } = flags
  const actions = [add, forget, show].filter((each) => each !== undefined)
  if (actions.length > 1) throw new AspyError('bad_input', 'give one of --add, --show and --forget')
  if (add !== undefined) return addMemory(client, add, words, flags)
  if (show !== undefined) return showMemory(client, show)
  if (forget !== undefined) return forgetMemory(client, forget)
  return listMemories(client, words, flags)
}

async function listMemories(client: Client, words: string, flags: RememberFlags): Promise<Printed> {
  const { limit, session: session_id, project, since, until, category } = flags
  const input = { query: words, category, limit, session_id, project, since, until }
  if (flags.pack === true) {
    const pack = await client.call('memories.context', { ...input, budget: 4000 })
    return { json: pack, text: plainLines(pack.text) }
  }
  const list = await client.call('memories.list', input)
  const text = table(list.items, [
    { title: 'Time', of: (row) => when(row.timestamp) },
    { title: 'Category', of: (row) => row.category, max: 20 },
    { title: 'Confidence', of: (row) => row.confidence, right: true },
    { title: 'By', of: (row) => row.source, max: 20 },
    { title: 'Events', of: (row) => count(row.evidence_count), right: true },
    { title: 'Event', of: (row) => row.uuid },
    { title: 'Remembered', of: (row) => textOf(row), max: 100 },
  ])
  const none = words === '' ? 'Nothing is remembered. Add an event: aspy remember --add UUID' : 'No matches.'
  return { json: list, text: list.items.length === 0 ? none : text }
}

const textOf = ({ fact, note, content }: OperationOutput<'memories.list'>['items'][number]): string =>
  fact !== '' ? fact : (note ?? content)

async function showMemory(client: Client, uuid: string): Promise<Printed> {
  const memory = await client.call('memories.get', { uuid })
  const { category, confidence, source, first_confirmed_at: first, last_confirmed_at: last, evidence } = memory
  const lines = [
    plain(textOf(memory)),
    `${plain(category)}, confidence ${confidence}, by ${plain(source)}, confirmed ${when(first)} to ${when(last)}`,
    ...evidence.map(
      (event) =>
        `\n${when(event.timestamp)}  ${event.kind}  session ${event.session_id}  turn ${event.turn_id}  ${event.uuid}\n${plainLines(event.content)}`,
    ),
  ]
  return { json: memory, text: lines.join('\n') }
}

async function addMemory(client: Client, event: string, fact: string, flags: RememberFlags): Promise<Printed> {
  const { uuid } = await client.call('events.get', { uuid: event })
  const confirms =
    flags.confirms === undefined ? undefined : (await client.call('memories.get', { uuid: flags.confirms })).uuid
  const { category, confidence } = flags
  await client.call('memories.add', {
    uuid,
    ...(fact === '' ? {} : { fact }),
    ...(category === undefined ? {} : { category }),
    ...(confidence === undefined ? {} : { confidence: numberIn(confidence) }),
    ...(confirms === undefined ? {} : { confirms }),
  })
  const memory = await client.call('memories.get', { uuid: confirms ?? uuid })
  return { json: memory, text: `${confirms === undefined ? 'Remembered' : 'Confirmed'}: ${plain(textOf(memory))}` }
}

function numberIn(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1)) {
    throw new AspyError('bad_input', `--confidence takes a number from 0 to 1, not ${text}`)
  }
  return value
}

async function forgetMemory(client: Client, event: string): Promise<Printed> {
  const memory = await client.call('memories.get', { uuid: event })
  const done = await client.call('memories.remove', { uuid: memory.uuid })
  return { json: done, text: `Forgotten: ${plain(textOf(memory))}` }
}
