import type { OperationName } from '../../../shared/contract/index.ts'
import { eventChildren, listEvents, slowestEvents } from '../store/read/event-lists.ts'
import { cacheSummary, listMisses } from '../store/read/cache.ts'
import { latestLimits, limitsNow, limitsSeries } from '../store/read/limits.ts'
import { costBreakdown, costSeries } from '../store/read/costs.ts'
import { listErrors } from '../store/read/errors.ts'
import {
  countEvents,
  eventChain,
  getEvent,
  recentEvents,
  sessionEvents,
  sessionTimeline,
  traceEvent,
} from '../store/read/events.ts'
import { listPrompts, searchResponses, searchThinking } from '../store/read/prompts.ts'
import { searchTexts } from '../store/read/recall.ts'
import type { ReadContext, TeamHandler } from '../store/read/scope.ts'
import { getSession, listSessions, sessionHistory } from '../store/read/sessions.ts'
import { listTools, summary } from '../store/read/stats.ts'
import { toolPace } from '../store/read/tool-pace.ts'
import { sessionUsage } from '../store/read/usage.ts'
import { promptsContext, recallContext, recallGet, sessionsPast, thinkingContext } from './team-texts.ts'

type TeamHandlers = { readonly [Name in OperationName]?: TeamHandler<Name> }

/**
 * The operations that a team's history answers, as the laptop's readers do. Others report that they cannot be answered.
 */
const HANDLERS = {
  'sessions.list': listSessions,
  'sessions.get': getSession,
  'sessions.history': sessionHistory,
  'sessions.events': sessionEvents,
  'sessions.timeline': sessionTimeline,
  'events.get': getEvent,
  'events.chain': eventChain,
  'events.trace': traceEvent,
  'events.recent': recentEvents,
  'events.count': countEvents,
  'recall.search': searchTexts,
  'prompts.search': listPrompts,
  'errors.list': listErrors,
  'stats.summary': summary,
  'costs.series': costSeries,
  'costs.breakdown': costBreakdown,
  'cache.summary': cacheSummary,
  'cache.list': listMisses,
  'limits.now': limitsNow,
  'limits.latest': latestLimits,
  'limits.series': limitsSeries,
  'tools.list': listTools,
  'events.list': listEvents,
  'events.children': eventChildren,
  'stats.slowest': slowestEvents,
  'tools.pace': toolPace,
  'thinking.search': searchThinking,
  'responses.search': searchResponses,
  'recall.context': recallContext,
  'thinking.context': thinkingContext,
  'prompts.context': promptsContext,
  'recall.get': recallGet,
  'sessions.past': sessionsPast,
  'sessions.usage': sessionUsage,
  'team.get': ({ caller: { member, role } }) => Promise.resolve({ team: { url: '', member, role }, is_server: true }),
} as const satisfies TeamHandlers

type AnyHandler = (context: ReadContext, input: unknown) => Promise<unknown>

/** Returns the handler of an operation; undefined if a team's history cannot answer it. */
export function handlerOf(name: string): AnyHandler | undefined {
  const handlers: { readonly [name: string]: unknown } = HANDLERS
  return Object.hasOwn(handlers, name) ? (handlers[name] as AnyHandler) : undefined
}
