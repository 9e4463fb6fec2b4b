import { AspyError } from '../../../shared/contract/errors.ts'
import { memoriesTable, rememberedText } from '../../../shared/columns/memories.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { plain, plainLines, when } from '../table.ts'
import { answered, listed, type Printed } from './reading-command.ts'

type Listing = OperationInput<'memories.list'>

interface RememberOptions {
  readonly add?: string | undefined
  readonly confirms?: string | undefined
  readonly forget?: string | undefined
  readonly show?: string | undefined
  readonly confidence?: string | undefined
  readonly pack?: boolean | undefined
}

/** `aspy remember [WORDS…]`: lists what was remembered; with `--add`, `--show` or `--forget`, shows or changes one. */
export function remember(client: Client, input: Listing, options: RememberOptions): Promise<Printed> {
  const { add, forget, show, pack } = options
  const actions = [add, forget, show].filter((each) => each !== undefined)
  if (actions.length > 1) throw new AspyError('bad_input', 'give one of --add, --show and --forget')
  if (add !== undefined) return addMemory(client, add, input, options)
  if (show !== undefined) return answered(client, 'memories.get', { uuid: show }, memoryText)
  if (forget !== undefined) return forgetMemory(client, forget)
  return pack === true
    ? answered(client, 'memories.context', { ...input, budget: 4000 }, ({ text }) => plainLines(text))
    : answered(client, 'memories.list', input, memoriesText)
}

const memoriesText = listed(memoriesTable, 'Nothing is remembered. Add an event: aspy remember --add UUID', {
  isOfAll: true,
})

function memoryText(memory: OperationOutput<'memories.get'>): string {
  const { category, confidence, source, first_confirmed_at: first, last_confirmed_at: last, evidence } = memory
  const lines = [
    plain(rememberedText(memory)),
    `${plain(category)}, confidence ${confidence}, by ${plain(source)}, confirmed ${when(first)} to ${when(last)}`,
    ...evidence.map(
      (event) =>
        `\n${when(event.timestamp)}  ${event.kind}  session ${event.session_id}  turn ${event.turn_id}  ${event.uuid}\n${plainLines(event.content)}`,
    ),
  ]
  return lines.join('\n')
}

async function addMemory(
  client: Client,
  event: string,
  { query: fact, category }: Listing,
  { confirms: confirmed, confidence }: RememberOptions,
): Promise<Printed> {
  const { uuid } = await client.call('events.get', { uuid: event })
  const confirms = confirmed === undefined ? undefined : (await client.call('memories.get', { uuid: confirmed })).uuid
  await client.call('memories.add', {
    uuid,
    fact,
    category,
    confidence: confidence === undefined ? undefined : numberIn(confidence),
    confirms,
  })
  const memory = await client.call('memories.get', { uuid: confirms ?? uuid })
  return {
    json: memory,
    text: `${confirms === undefined ? 'Remembered' : 'Confirmed'}: ${plain(rememberedText(memory))}`,
  }
}

function numberIn(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new AspyError('bad_input', `--confidence takes a number from 0 to 1, not ${text}`)
  return value
}

async function forgetMemory(client: Client, event: string): Promise<Printed> {
  const memory = await client.call('memories.get', { uuid: event })
  const done = await client.call('memories.remove', { uuid: memory.uuid })
  return { json: done, text: `Forgotten: ${plain(rememberedText(memory))}` }
}
