import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import { eventLine } from '../../../shared/input-line.ts'
import type { Client } from '../client.ts'
import { dollars, plain } from '../table.ts'
import { terminalWidth } from '../wrap.ts'
import { whenIn } from '../when.ts'
import { answered, type Printed } from './reading-command.ts'

/** `aspy trace [EVENT]`: the causes of an event, or its effects. */
export function trace(client: Client, input: OperationInput<'events.trace'>): Promise<Printed> {
  if (input.uuid === undefined && input.last_error !== true) {
    throw new AspyError(
      'bad_input',
      'name an event by its UUID, or trace the newest error with aspy trace --last-error',
    )
  }
  return answered(client, 'events.trace', input, chainText)
}

function chainText(found: OperationOutput<'events.trace'>): string {
  const time = whenIn(found.items.map(({ ts_wall }) => ts_wall))
  // Half of a line is left for the texts.
  const deepest = Math.min(20, Math.max(0, Math.floor(terminalWidth() / 4) - 10))
  const lines = found.items.map(
    (line) =>
      `${time(line.ts_wall)}  ${'  '.repeat(Math.min(line.depth, deepest))}${line.kind}  ${plain(eventLine(line))}${line.cost_usd === undefined ? '' : `  ${dollars(line.cost_usd)}`}`,
  )
  if (found.truncated) lines.push('(middle omitted)')
  if (found.gap) lines.push('(incomplete: part of the chain was not recorded)')
  return lines.join('\n')
}
