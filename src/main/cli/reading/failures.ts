import { withTypedHere } from '../../base/folder-of-run.ts'
import { errorsTable } from '../../../shared/columns/errors.ts'
import { sessionsTable } from '../../../shared/columns/sessions.ts'
import { toolCallsTable } from '../../../shared/columns/tool-calls.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import { counted } from '../../../shared/counted.ts'
import { isNotCaptured, NOT_CAPTURED } from '../../../shared/known-figures.ts'
import type { Client } from '../client.ts'
import { answered, listed, type Printed } from './reading-command.ts'

/**
 * Lists that may be asked for failures. What a person, a setting or the guard refused is a decision: it counts as no
 * failure, and a list that leaves it out says so.
 */

const errorsText = listed(errorsTable, 'No errors.', { isOfAll: true })
const toolsText = listed(toolCallsTable, 'No tool calls.', { isOfAll: true })
const sessionsText = listed(sessionsTable, 'No sessions yet.', { isOfAll: true })

type Errors = OperationOutput<'errors.list'>
type ToolsInput = OperationInput<'tools.list'>

/** `aspy errors`: with `--tools`, or without any row, it also says how many calls were refused. */
export async function errors(client: Client, input: OperationInput<'errors.list'>): Promise<Printed> {
  const printed = await answered(client, 'errors.list', input, errorsText)
  const answer = printed.json as Errors
  const isAsked = input.tools === true || answer.items.length === 0
  return withDecisions(printed, stopsIn(answer), isAsked ? await refusedCalls(client, input) : 0)
}

/** `aspy tools`: with `--failed`, it also says how many calls were refused. */
export async function tools(client: Client, input: ToolsInput): Promise<Printed> {
  const printed = await answered(client, 'tools.list', input, toolsText)
  return withDecisions(printed, 0, input.failed === true ? await refusedCalls(client, input) : 0)
}

/** `aspy sessions`: says which have no figures, and for `--failed` without any, what was refused. */
export async function sessions(client: Client, input: OperationInput<'sessions.list'>): Promise<Printed> {
  const answer = await client.call('sessions.list', input)
  const blind = client.isTeam ? 0 : answer.items.filter(isNotCaptured).length
  const note = `\n\n${counted(blind, 'session')} without answers: ${NOT_CAPTURED.toLowerCase()}`
  const text = `${sessionsText(answer, input, client.isTeam)}${blind === 0 ? '' : note}`
  if (input.failed !== true || answer.items.length > 0) return { json: answer, text }
  const stops = stopsIn(await client.call('errors.list', { ...spanOf(input), limit: MOST }))
  return withDecisions({ json: answer, text }, stops, await refusedCalls(client, input), ' (aspy errors)')
}

/** Bounds what is counted: beyond it, the number matters to nobody. */
const MOST = 500

const stopsIn = ({ items }: Errors): number => items.filter(({ origin }) => origin === 'guard').length

async function refusedCalls(client: Client, input: ToolsInput): Promise<number> {
  const { tool_name, session_id } = input
  const asked = { ...spanOf(input), tool_name, session_id, refused: true, limit: MOST } as const
  return (await client.call('tools.list', asked)).items.length
}

/** Returns the fields that all these lists take. */
const spanOf = ({ project, since, until, tz, client }: ToolsInput) => ({ project, since, until, tz, client })

function withDecisions(printed: Printed, stops: number, refused: number, where = ''): Printed {
  const parts = [
    ...(stops === 0 ? [] : [`${counted(stops, 'request')} stopped by the guard${where}`]),
    ...(refused === 0 ? [] : [`${counted(refused, 'refused call')} (aspy tools --refused)`]),
  ]
  if (parts.length === 0) return printed
  return { ...printed, text: `${printed.text}\n\nDecisions, not failures: ${withTypedHere(parts.join(' and '))}` }
}
