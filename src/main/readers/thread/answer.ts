import type { Reader } from '../../store/read/reader.ts'
import { withWholeIds } from './whole-ids.ts'

/** Runs a handler; ids in the input may be shortened. If its time budget ran out, marks the answer as `partial`. */
export function answerOf(
  handler: (reader: Reader, input: unknown) => unknown,
  reader: Reader,
  input: unknown,
): unknown {
  const answer = handler(reader, withWholeIds(reader, input))
  if (!reader.budget.wasCut || answer === null || typeof answer !== 'object' || Array.isArray(answer)) return answer
  return { ...answer, partial: true }
}
