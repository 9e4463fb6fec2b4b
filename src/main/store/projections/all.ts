import { agents } from './agents.ts'
import { apiUsage } from './api-usage.ts'
import { cacheCalls } from './cache-calls.ts'
import { carried } from './carried.ts'
import { compactions } from './compactions.ts'
import { errors } from './errors.ts'
import { eventCounts } from './event-counts.ts'
import { lineage } from './lineage.ts'
import { fileTouches } from './file-touches.ts'
import type { Projection } from './projection.ts'
import { SUM_TABLES } from '../tables.ts'
import { rateLimits } from './rate-limits.ts'
import { recallDocs } from './recall-docs.ts'
import { rollups } from './rollups.ts'
import { sessionLinks } from './session-links.ts'
import { sessions } from './sessions.ts'
import { tasks } from './tasks.ts'
import { assistantResponses, thinkingBlocks } from './spoken-texts.ts'
import { toolCalls } from './tool-calls.ts'
import { toolResults } from './tool-results.ts'
import { toolRollups } from './tool-rollups.ts'
import { toolTexts } from './tool-texts.ts'
import { turns } from './turns.ts'
import { userPrompts } from './user-prompts.ts'

/** Every projection; sessions come first because prompts refer to them. */
export const PROJECTIONS: readonly Projection[] = [
  sessions,
  sessionLinks,
  userPrompts,
  thinkingBlocks,
  assistantResponses,
  compactions,
  toolTexts,
  toolCalls,
  toolResults,
  fileTouches,
  apiUsage,
  errors,
  lineage,
  rollups,
  eventCounts,
  toolRollups,
  turns,
  agents,
  tasks,
  rateLimits,
  cacheCalls,
  carried,
  recallDocs,
]

/** Projections whose tables are sums over all sessions. */
export const SUM_PROJECTIONS = PROJECTIONS.filter(({ name }) => SUM_TABLES.some(({ group }) => group === name))
