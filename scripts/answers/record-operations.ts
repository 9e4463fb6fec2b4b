import { OPERATIONS } from '../../src/shared/contract/index.ts'
import type { Operation } from '../../src/shared/contract/operation.ts'
import { plannedCalls, type PlannedCall } from './inputs.ts'
import { LEFT_OUT } from './left-out.ts'
import type { Answer, ServedApp } from './served-app.ts'
import type { StoredFacts } from './stored-facts.ts'

/** A call and its answer. */
export interface RecordedAnswer extends Answer {
  readonly input: object
}

/** Calls every operation with all inputs planned for it; yields the answers by operation. */
export async function* recordOperations(
  app: ServedApp,
  facts: StoredFacts,
): AsyncGenerator<readonly [operation: string, answers: AsyncIterable<RecordedAnswer>]> {
  for (const operation of OPERATIONS)
    if (LEFT_OUT[operation.name] === undefined) yield [operation.name, answersOf(app, operation, facts)]
}

async function* answersOf(app: ServedApp, operation: Operation, facts: StoredFacts): AsyncGenerator<RecordedAnswer> {
  for (const call of plannedCalls(operation, facts)) yield* pagesOf(app, operation.name, call)
}

/** Follows `next` from page to page. */
async function* pagesOf(
  app: ServedApp,
  operation: string,
  { input, pages }: PlannedCall,
): AsyncGenerator<RecordedAnswer> {
  let next: unknown
  for (let page = 1; page <= pages; page += 1) {
    const given = page === 1 ? input : { ...input, cursor: next }
    const answer = await app.call(operation, given)
    yield { input: page === 1 ? input : { ...input, page }, ...answer }
    next = (answer.answer as { readonly next?: unknown } | null)?.next
    if (next === undefined || next === null) return
  }
}
