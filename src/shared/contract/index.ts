import * as agents from './agents.ts'
import * as archive from './archive.ts'
import * as breakdowns from './breakdowns.ts'
import * as budgets from './budgets.ts'
import * as claudeCode from './claude-code.ts'
import * as events from './events.ts'
import * as healthOperations from './health.ts'
import * as hooks from './hooks.ts'
import * as live from './live.ts'
import * as notices from './notices.ts'
import * as people from './people.ts'
import type { z } from 'zod'
import type { Operation } from './operation.ts'
import * as recall from './recall.ts'
import * as redaction from './redaction.ts'
import * as reconcile from './reconcile.ts'
import * as requests from './requests.ts'
import * as sessions from './sessions.ts'
import * as stats from './stats.ts'
import * as store from './store.ts'
import * as threads from './threads.ts'
import * as transcripts from './transcripts.ts'

/** Every operation of the product, in the order in which the API's description shows them. */
export const OPERATIONS = [
  recall.recallSearch,
  recall.recallPack,
  recall.recallContext,
  recall.recallGet,
  recall.recallCaller,
  recall.searchThinking,
  recall.thinkingContext,
  recall.searchPrompts,
  recall.promptsContext,
  recall.searchResponses,
  breakdowns.recallMonths,
  stats.statsSummary,
  stats.costSeries,
  breakdowns.costBreakdown,
  breakdowns.limitsLatest,
  budgets.costsSpent,
  budgets.budgetsStatus,
  stats.toolsList,
  breakdowns.toolPace,
  stats.errorsList,
  stats.analytics,
  stats.slowest,
  sessions.sessionsList,
  sessions.sessionGet,
  sessions.sessionStatus,
  reconcile.sessionReconcile,
  reconcile.limitsSeries,
  threads.requestThread,
  sessions.sessionTimeline,
  sessions.sessionHistory,
  sessions.sessionTurn,
  sessions.sessionResume,
  sessions.resumeLatest,
  breakdowns.sessionUsage,
  breakdowns.compactionDropped,
  agents.agentsList,
  agents.tasksList,
  requests.requestsList,
  requests.requestGet,
  people.sessionLabel,
  people.memoriesList,
  people.memoryAdd,
  people.memoryRemove,
  people.episodesList,
  people.searchesList,
  people.searchSave,
  people.searchRemove,
  notices.sessionKept,
  notices.sessionStartNotice,
  events.sessionEvents,
  events.eventsList,
  events.eventsReplay,
  events.eventsCount,
  events.eventGet,
  events.eventChain,
  events.eventChildren,
  events.eventTrace,
  events.eventsRecent,
  events.postEvent,
  live.liveSubscribe,
  live.liveSince,
  live.liveTurns,
  hooks.hookPost,
  transcripts.transcriptsFind,
  transcripts.transcriptsImport,
  transcripts.transcriptsRunning,
  store.sessionDelete,
  store.storeBackup,
  store.eventsExport,
  store.storeImport,
  store.storeCheck,
  store.storeRebuild,
  archive.storeArchive,
  archive.storeArchives,
  archive.searchArchives,
  redaction.redactPast,
  claudeCode.claudeCodeStatus,
  claudeCode.claudeCodeSetUp,
  claudeCode.claudeCodeUndo,
  healthOperations.healthGet,
  healthOperations.configGet,
  healthOperations.configSet,
] as const satisfies readonly Operation[]

type Listed = (typeof OPERATIONS)[number]
export type OperationName = Listed['name']
export type OperationOf<Name extends OperationName> = Extract<Listed, { name: Name }>
/** What a caller may send: defaults may be left out. */
export type OperationInput<Name extends OperationName> = z.input<OperationOf<Name>['input']>
/** What a handler gets: parsed, defaults filled in. */
export type ParsedInput<Name extends OperationName> = z.output<OperationOf<Name>['input']>
/** The answer of a value operation, one batch of a stream. */
export type OperationOutput<Name extends OperationName> = z.output<OperationOf<Name>['output']>

const byName: ReadonlyMap<string, Operation> = new Map(OPERATIONS.map((entry) => [entry.name, entry]))

/** Looks an operation up by its name. */
export function findOperation(name: string): Operation | undefined {
  return byName.get(name)
}
