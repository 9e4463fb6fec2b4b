import * as advice from './advice.ts'
import * as agents from './agents.ts'
import * as archive from './archive.ts'
import * as budgets from './budgets.ts'
import * as cache from './cache.ts'
import * as carry from './carry.ts'
import * as claudeCode from './claude-code.ts'
import * as compactions from './compactions.ts'
import * as costs from './costs.ts'
import * as demo from './demo.ts'
import * as events from './events.ts'
import * as files from './files.ts'
import * as guard from './guard.ts'
import * as healthOperations from './health.ts'
import * as hooks from './hooks.ts'
import * as images from './images.ts'
import * as limits from './limits.ts'
import * as live from './live.ts'
import * as notices from './notices.ts'
import * as people from './people.ts'
import type { z } from 'zod'
import type { Answer, Operation, Place } from './operation.ts'
import * as recall from './recall.ts'
import * as receipt from './receipt.ts'
import * as redaction from './redaction.ts'
import * as reconcile from './reconcile.ts'
import * as requests from './requests.ts'
import * as resume from './resume.ts'
import * as served from './served.ts'
import * as sessionPage from './session-page.ts'
import * as sessions from './sessions.ts'
import * as stats from './stats.ts'
import * as store from './store.ts'
import * as team from './team.ts'
import * as threads from './threads.ts'
import * as tools from './tools.ts'
import * as transcripts from './transcripts.ts'
import * as tunnel from './tunnel.ts'
import * as turns from './turns.ts'

/** Every operation of the product, in the order of the API's description. */
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
  recall.recallMonths,
  stats.statsSummary,
  costs.costSeries,
  costs.costBreakdown,
  limits.limitsLatest,
  limits.limitsNow,
  served.servedList,
  costs.costsSpent,
  receipt.receipt,
  receipt.receiptCalls,
  budgets.budgetsStatus,
  guard.guardStatus,
  guard.guardRefused,
  guard.guardRelease,
  budgets.budgetsForecast,
  tools.toolsList,
  tools.toolPace,
  stats.errorsList,
  stats.analytics,
  stats.slowest,
  sessions.sessionsList,
  sessions.sessionGet,
  sessions.runExchanges,
  sessions.runSessions,
  sessions.sessionStatus,
  reconcile.sessionReconcile,
  limits.limitsSeries,
  threads.requestThread,
  sessions.sessionTimeline,
  sessions.sessionHistory,
  resume.sessionsPast,
  turns.sessionTurn,
  resume.sessionResume,
  resume.sessionResumeTruth,
  resume.resumeLatest,
  turns.sessionUsage,
  sessions.sessionsUnproven,
  compactions.compactionDropped,
  files.fileHistory,
  files.fileAt,
  files.fileBlame,
  files.fileTree,
  files.fileRestore,
  agents.agentsList,
  agents.tasksList,
  requests.requestsList,
  requests.requestGet,
  cache.cacheList,
  cache.cacheSummary,
  cache.requestDiff,
  carry.carryList,
  carry.carrySession,
  advice.adviceList,
  advice.adviceApply,
  advice.adviceUndo,
  advice.adviceDismiss,
  people.sessionLabel,
  people.sessionTags,
  people.memoriesList,
  people.memoryGet,
  people.memoriesContext,
  people.memoryAdd,
  people.memoryRemove,
  people.episodesList,
  people.searchesList,
  people.searchSave,
  people.searchRemove,
  people.peopleExport,
  notices.sessionKept,
  notices.sessionStartNotice,
  notices.noticeGive,
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
  transcripts.transcriptsStart,
  transcripts.transcriptsStop,
  transcripts.transcriptsStatus,
  transcripts.transcriptsRunning,
  store.sessionDelete,
  store.sessionDeleteSoon,
  store.sessionUndoShown,
  store.sessionUndoDelete,
  store.sessionDeletions,
  store.sessionFootprint,
  store.storeBackup,
  store.eventsExport,
  images.imageGet,
  sessionPage.sessionPage,
  store.usageExport,
  store.storeImport,
  store.storeCheck,
  store.storeVacuum,
  store.storeRebuild,
  archive.storeArchive,
  archive.storeArchives,
  archive.searchArchives,
  redaction.redactPast,
  redaction.removeCopies,
  claudeCode.claudeCodeStatus,
  claudeCode.claudeCodeSetUp,
  claudeCode.claudeCodeSetCommand,
  claudeCode.claudeCodeUndo,
  claudeCode.claudeCodeConnection,
  demo.demoOpen,
  demo.demoLeave,
  tunnel.tunnelLease,
  healthOperations.healthGet,
  healthOperations.configGet,
  healthOperations.configSet,
  team.teamGet,
  team.teamRead,
  team.teamPolicy,
  team.teamUnsent,
  team.teamWithdraw,
  team.teamProjects,
] as const satisfies readonly Operation[]

type Listed = (typeof OPERATIONS)[number]
export type OperationName = Listed['name']
export type OperationOf<Name extends OperationName> = Extract<Listed, { name: Name }>
/** Names of the operations that run at a place. */
export type OperationAt<RunsOn extends Place, AnswersWith extends Answer = Answer> = Extract<
  Listed,
  { place: RunsOn; answer: AnswersWith }
>['name']
/** Input as a caller may send it: fields with defaults are optional. */
export type OperationInput<Name extends OperationName> = z.input<OperationOf<Name>['input']>
/** Input as a handler receives it: parsed, with defaults. */
export type ParsedInput<Name extends OperationName> = z.output<OperationOf<Name>['input']>
/** The answer of a value operation, or one batch of a stream. */
export type OperationOutput<Name extends OperationName> = z.output<OperationOf<Name>['output']>

const byName: ReadonlyMap<string, Operation> = new Map(OPERATIONS.map((entry) => [entry.name, entry]))

/** Returns the operation of this name. */
export const findOperation = (name: string): Operation | undefined => byName.get(name)
