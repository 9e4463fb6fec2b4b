import { withTypedHere } from '../../base/folder-of-run.ts'
import type { Advice } from '../../../shared/contract/advice.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import { MONTH_DAYS } from '../../../shared/time-units.ts'
import type { Client } from '../client.ts'
import { dollars, plain, shownIds } from '../table.ts'
import { answered, type Printed } from './reading-command.ts'

const NOTHING =
  'No suggestions. One appears when something avoidable repeats: it takes at least ten sessions, pauses or calls.'

interface Decided {
  readonly apply?: string | undefined
  readonly undo?: string | undefined
  readonly dismiss?: string | undefined
}

/** Lists suggestions, or carries out a decision about one. */
export async function advise(
  client: Client,
  input: OperationInput<'advice.list'>,
  { apply, undo, dismiss }: Decided,
): Promise<Printed> {
  const answer = await (apply !== undefined
    ? client.call('advice.apply', { id: apply })
    : undo !== undefined
      ? client.call('advice.undo', { id: undo })
      : dismiss !== undefined
        ? client.call('advice.dismiss', { id: dismiss })
        : null)
  if (answer === null) return answered(client, 'advice.list', input, adviceText)
  return { json: answer, text: decidedText(answer) }
}

/** Writes what a decision changed, and how to take it back. */
function decidedText({ item, note }: OperationOutput<'advice.apply'>): string {
  const { id, state, fix, scope, headline } = item
  const what = `${plain(fix?.title ?? headline)} (${scope.project === undefined ? 'any folder' : plain(scope.project)})`
  const notes = note === null ? [] : [note]
  if (state === 'undone' || state === 'open') return [`Taken back: ${what}.`, ...notes].join('\n')
  const done = state === 'dismissed' ? 'Hidden until its evidence has doubled' : 'Applied'
  const files = note === null && state !== 'dismissed' ? (fix?.files ?? []) : []
  const changed = files.map(({ path }) => `Changed ${plain(path)}.`)
  const next = state === 'applied' ? ['Aspy checks whether it helps, once there are ten later cases.'] : []
  const back = withTypedHere(`To take it back: aspy advise --undo ${id}`)
  return [`${done}: ${what}.`, ...changed, ...notes, ...next, back].join('\n')
}

/** Writes suggestions with stake and fix. Dismissed ones are only counted. */
function adviceText({ items }: { readonly items: readonly Advice[] }): string {
  const shown = items.filter(({ state }) => state !== 'dismissed')
  const dismissed = items.length - shown.length
  const note = dismissed === 0 ? [] : [`${dismissed} dismissed`]
  return shown.length === 0 ? [NOTHING, ...note].join('\n') : [...shown.map(itemText), ...note].join('\n\n')
}

function itemText({
  id,
  scope,
  headline,
  state,
  band,
  fix,
  evidence,
  recorded_days: days,
  usd_per_month: usd,
}: Advice): string {
  const [low, high] = band
  const [shown] = shownIds(evidence)
  return [
    plain(headline),
    `  ${scope.project === undefined ? 'Any folder' : plain(scope.project)}${state === 'open' ? '' : ` (${STATES[state]})`}`,
    ...(usd > 0 && days >= MONTH_DAYS ? [`  Next month: ${dollars(low)} to ${dollars(high)}, nine times in ten`] : []),
    ...(fix === null ? ['  Nothing to change here: the client itself is the cause.'] : []),
    ...(fix === null ? [] : [`  ${plain(fix.title)}:`, ...fix.steps.map((step) => `  - ${plain(step)}`)]),
    ...(shown === undefined ? [] : [`  For example: ${withTypedHere(`aspy trace ${shown}`)}`]),
    `  ID: ${id}`,
  ].join('\n')
}

const STATES: Readonly<Record<Advice['state'], string>> = {
  open: 'open',
  applied: 'tried: too early to tell, ten later cases are needed',
  worked: 'tried: it worked',
  partly: 'tried: it worked in part',
  no_effect: 'tried: no effect, undo it',
  worse: 'tried: it got worse, undo it',
  undone: 'undone',
  dismissed: 'dismissed',
}
