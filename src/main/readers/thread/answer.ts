import type { Reader } from '../../store/read/reader.ts'

/** Runs a handler. If its time budget ran out, marks the answer as `partial`. */
export function answerOf(
  handler: (reader: Reader, input: unknown) => unknown,
  reader: Reader,
  input: unknown,
): unknown {
  const answer = handler(reader, input)
  if (!reader.budget.wasCut || answer === null || typeof answer !== 'object' || Array.isArray(answer)) return answer
  return { ...answer, partial: true }
}
