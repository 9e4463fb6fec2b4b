import { refusedSince } from '../../store/read/refusals.ts'
import { adviceList } from './advice.ts'
import * as agents from './agents.ts'
import * as archive from './archive.ts'
import * as cache from './cache.ts'
import * as carry from './carry.ts'
import * as compactions from './compactions.ts'
import * as costs from './costs.ts'
import * as events from './events.ts'
import * as files from './files.ts'
import type { ReaderHandlers } from '../../dispatch/handlers.ts'
import * as limits from './limits.ts'
import { limitsNow } from './limits/limits-now.ts'
import * as live from './live.ts'
import * as people from './people.ts'
import * as recall from './recall.ts'
import * as recallContext from './recall-context.ts'
import { recallPack } from './recall-pack.ts'
import * as receipt from './receipt/receipt.ts'
import { receiptCalls } from './receipt/receipt-calls.ts'
import * as reconcile from './reconcile.ts'
import * as requests from './requests.ts'
import * as searchKinds from './search-kinds.ts'
import * as resume from './resume.ts'
import * as sessionTexts from './session-texts.ts'
import { servedList } from './served.ts'
import * as sessions from './sessions.ts'
import * as stats from './stats.ts'
import * as store from './store.ts'
import * as threads from './threads.ts'
import * as tools from './tools.ts'
import * as transcripts from './transcripts.ts'
import * as turn from './turn.ts'

/** The handlers of every operation that runs on a reader thread. */
export const readerHandlers: ReaderHandlers = {
  'recall.search': recall.recallSearch,
  'recall.pack': recallPack,
  'recall.context': recallContext.recallContext,
  'recall.get': recallContext.recallGet,
  'recall.caller': recallContext.recallCaller,
  'thinking.search': searchKinds.searchThinking,
  'thinking.context': recallContext.thinkingContext,
  'prompts.search': searchKinds.searchPrompts,
  'prompts.context': recallContext.promptsContext,
  'responses.search': searchKinds.searchResponses,
  'stats.summary': stats.statsSummary,
  'costs.series': costs.costSeries,
  'costs.breakdown': costs.costBreakdown,
  'costs.spent': costs.costsSpent,
  receipt: receipt.receipt,
  'receipt.calls': receiptCalls,
  'limits.latest': limits.limitsLatest,
  'limits.now': limitsNow,
  'served.list': servedList,
  'tools.pace': tools.toolPace,
  'recall.months': recall.recallMonths,
  'tools.list': tools.toolsList,
  'errors.list': stats.errorsList,
  'stats.analytics': stats.analytics,
  'stats.slowest': stats.slowest,
  'sessions.list': sessions.sessionsList,
  'sessions.tags': sessions.sessionTags,
  'sessions.get': sessions.sessionGet,
  'guard.refused': (reader, { since }) => ({ requests: refusedSince(reader, since) }),
  'runs.sessions': sessions.runSessions,
  'sessions.status': sessions.sessionStatus,
  'sessions.reconcile': reconcile.sessionReconcile,
  'limits.series': limits.limitsSeries,
  'requests.thread': threads.requestThread,
  'sessions.timeline': sessions.sessionTimeline,
  'sessions.history': sessionTexts.sessionHistory,
  'sessions.past': sessionTexts.sessionsPast,
  'sessions.turn': turn.sessionTurn,
  'sessions.resume': resume.sessionResume,
  'sessions.resume_truth': resume.sessionResumeTruth,
  'sessions.resume_latest': resume.resumeLatest,
  'sessions.deletions': store.sessionDeletions,
  'sessions.footprint': store.sessionFootprint,
  'sessions.kept': sessions.sessionKept,
  'sessions.usage': sessions.sessionUsage,
  'sessions.unproven': sessions.sessionsUnproven,
  'files.at': files.filesAt,
  'files.blame': files.filesBlame,
  'files.history': files.filesHistory,
  'files.tree': files.filesTree,
  'compactions.dropped': compactions.compactionDropped,
  'agents.list': agents.agentsList,
  'tasks.list': agents.tasksList,
  'requests.list': requests.requestsList,
  'requests.get': requests.requestGet,
  'cache.list': cache.cacheList,
  'cache.summary': cache.cacheSummary,
  'carry.list': carry.carryList,
  'carry.session': carry.carrySession,
  'advice.list': adviceList,
  'requests.diff': cache.requestDiff,
  'memories.list': people.memoriesList,
  'memories.get': people.memoryGet,
  'memories.context': people.memoriesContext,
  'episodes.list': people.episodesList,
  'searches.list': people.searchesList,
  'people.export': people.peopleExport,
  'sessions.events': events.sessionEvents,
  'events.list': events.eventsList,
  'events.replay': events.eventsReplay,
  'events.count': events.eventsCount,
  'events.get': events.eventGet,
  'events.chain': events.eventChain,
  'events.children': events.eventChildren,
  'events.trace': events.eventTrace,
  'events.recent': events.eventsRecent,
  'events.export': store.eventsExport,
  'usage.export': store.usageExport,
  'store.check': store.storeCheck,
  'store.archives': archive.storeArchives,
  'store.search_archives': archive.storeSearchArchives,
  'live.since': live.liveSince,
  'live.turns': live.liveTurns,
  'transcripts.running': transcripts.transcriptsRunning,
  'team.projects': sessions.sessionProjects,
}
