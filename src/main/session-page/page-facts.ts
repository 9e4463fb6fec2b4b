import type { OperationInput, OperationName, OperationOutput } from '../../shared/contract/index.ts'
import { withoutPaths } from './without-paths.ts'

/** Runs a reading operation. */
export type Read = <Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
) => Promise<OperationOutput<Name>>

/** Figures of a session that its events lack. */
export interface PageFacts {
  readonly session: OperationOutput<'sessions.get'>
  readonly turns: OperationOutput<'sessions.usage'>['turns']
  readonly agents: OperationOutput<'agents.list'>['items']
  readonly models: OperationOutput<'receipt'>['by_model']
  readonly files: OperationOutput<'files.tree'>['items']
}

export type PageTurn = PageFacts['turns'][number]
export type PageAgent = PageFacts['agents'][number]

/** Reads the figures of a session's page. */
export async function readFacts(read: Read, session_id: string): Promise<PageFacts> {
  const session = await read('sessions.get', { session_id })
  const { turns } = await read('sessions.usage', { session_id })
  const { items: agents } = await read('agents.list', { session_id })
  const { by_model: models } = await read('receipt', { session_id })
  const { items: files } = await read('files.tree', { session_id })
  return { session, turns, agents, models, files }
}

/** Returns the figures without paths, and without files, which then all have one name. */
export const factsWithoutPaths = (facts: PageFacts): PageFacts => ({
  ...withoutPaths(facts, facts.session.project),
  files: [],
})
