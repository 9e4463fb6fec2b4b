import { z } from 'zod'
import { client, project, ofSession } from '../../../shared/contract/fields.ts'
import { recallContext } from '../../../shared/contract/recall.ts'
import { RECALL_SYNTAX_HELP } from '../../../shared/recall-syntax.ts'
import { advise } from './advice.ts'
import { budget } from './budget.ts'
import { cache } from './cache.ts'
import { carry } from './carry.ts'
import { diffText } from './diff.ts'
import { dropped } from './dropped.ts'
import { eventsText, resume, slowestText, timeline } from './events.ts'
import { errors, sessions, tools } from './failures.ts'
import { fileHistory, fileShow, fileTree } from './files.ts'
import { guard } from './guard.ts'
import { limitsText } from './limits.ts'
import { reading } from './reading-command.ts'
import { recall } from './recall.ts'
import { receipt } from './receipt.ts'
import { remember } from './remember.ts'
import { replay } from './replay.ts'
import { servedText } from './served.ts'
import { session } from './session.ts'
import { stats } from './stats.ts'
import { trace } from './trace.ts'

/** Declares an option that no operation has. */
const given = (help: string) => z.string().optional().describe(help)
const chosen = (help: string) => z.boolean().optional().describe(help)

const LATEST = ['[id]', 'Session ID (default: the most recently active session)'] as const
const SESSION = ['<id>', 'Session ID'] as const

const FILE = ['<path>', 'File, also one that is gone'] as const

/** The commands of `aspy file`. */
export const FILE_COMMANDS = [
  reading({
    example: 'aspy file history src/app.ts',
    summary: 'List what recorded tool calls did to a file, oldest first',
    operation: 'files.history',
    arguments: { path: FILE },
    ask: fileHistory,
  }),
  reading({
    example: 'aspy file show src/app.ts --at 0199c2d4',
    summary: 'Print a file as it was after a recorded event',
    operation: 'files.at',
    arguments: { path: FILE },
    own: { at: given('UUID of the event (default: after all that is recorded)') },
    ask: fileShow,
  }),
  reading({
    example: 'aspy file tree 5f0c2f1e --patch',
    summary: 'List the files that a session changed, or print its changes as a patch',
    operation: 'files.tree',
    arguments: { session_id: SESSION },
    own: { at: given('UUID of the event up to which (default: all that is recorded)') },
    ask: fileTree,
  }),
]

/** The commands that show what happened, in the order of the help. */
export const LOOK_COMMANDS = [
  reading({
    example: 'aspy stats --since 7d',
    summary: 'Show totals: sessions, tokens, cost and models',
    operation: 'stats.summary',
    ask: stats,
  }),
  reading({
    example: 'aspy sessions --project . --failed',
    summary: 'List sessions, the most recently active first',
    operation: 'sessions.list',
    ask: sessions,
  }),
  reading({
    example: 'aspy session 5f0c2f1e --limit 50',
    summary: 'Show the conversation of a session',
    operation: 'sessions.history',
    arguments: { session_id: SESSION },
    ask: session,
  }),
  reading({
    example: 'aspy recent --kinds user_prompt,error',
    summary: 'List the newest events',
    operation: 'events.recent',
    text: eventsText,
  }),
  reading({
    example: 'aspy timeline --since 1h',
    summary: 'List the events of a session in order',
    operation: 'sessions.timeline',
    arguments: { session_id: LATEST },
    own: { session_id: ofSession, project },
    ask: timeline,
  }),
  reading({
    example: 'aspy replay 5f0c2f1e --turn 3 --json',
    summary: 'Print every event of a session in the order of arrival',
    operation: 'events.replay',
    arguments: { session_id: SESSION },
    ask: replay,
  }),
  reading({
    example: 'aspy tools --tool Bash --failed',
    summary: 'List tool calls, newest first',
    operation: 'tools.list',
    ask: tools,
  }),
  reading({
    example: 'aspy slowest --by kind --since 7d',
    summary: 'List the slowest tool calls or events',
    operation: 'stats.slowest',
    text: slowestText,
  }),
  reading({
    example: 'aspy errors --tools --since 24h',
    summary: 'List errors, newest first, and requests that the guard stopped',
    operation: 'errors.list',
    ask: errors,
  }),
  reading({
    example: 'aspy cache --cause tools_changed --since 7d',
    summary: 'List prompt cache misses and first requests, with their cost and cause',
    operation: 'cache.list',
    own: { summary: chosen('Sum up by cause, project and client version') },
    ask: cache,
  }),
  reading({
    example: 'aspy diff 0199c2d4',
    summary: 'Compare a request with the previous one',
    operation: 'requests.diff',
    arguments: { uuid: ['<event>', 'UUID of the request'] },
    text: diffText,
  }),
  reading({
    example: 'aspy blame src/app.ts:42',
    summary: 'Show which prompt wrote each line of a file, as far as the record proves it',
    operation: 'files.blame',
    arguments: { path: ['<path>', 'File, also with a line: src/app.ts:42'] },
    // It compares files, which no other command needs.
    ask: async (client, input) => (await import('./blame.ts')).blame(client, input),
  }),
  reading({
    example: 'aspy trace --last-error --match overloaded',
    summary: 'Show what led to an event, back to the prompt',
    operation: 'events.trace',
    arguments: { uuid: ['[event]', 'Event UUID'] },
    ask: trace,
  }),
  reading({
    example: 'aspy receipt --since 30d --csv',
    summary: 'Show what was paid for, by model, day, session, agent and kind of token',
    operation: 'receipt',
    own: {
      csv: chosen('Print CSV'),
      compare: given('Explain differences from the output of ccusage daily, weekly, monthly, session or blocks --json'),
    },
    ask: receipt,
  }),
  reading({
    example: 'aspy budget --period week',
    summary: 'Show the cost of this month and its forecast, compared with the last',
    operation: 'budgets.forecast',
    takesAnyProject: true,
    ask: budget,
  }),
  reading({
    example: 'aspy carry --by file --since 7d',
    summary: 'Show the cost of carrying prompts, tools and files through requests',
    operation: 'carry.list',
    own: { blocks: chosen('With --session: list its blocks') },
    ask: carry,
  }),
  reading({
    example: 'aspy advise --project .',
    summary: 'Suggest what would save the most, with evidence and a fix',
    operation: 'advice.list',
    own: {
      apply: given('Make the change that a suggestion shows'),
      undo: given('Take it back'),
      dismiss: given('Hide a suggestion until its evidence has doubled'),
    },
    takesAnyProject: true,
    ask: advise,
  }),
  reading({
    example: 'aspy limits',
    summary: 'Show how much of each limit is used, by whom, and the forecast at its reset',
    operation: 'limits.now',
    text: limitsText,
  }),
  reading({
    example: 'aspy guard raise --to 30 5f0c2f1e',
    summary: 'Show the guard and the waiting requests, or decide on them',
    operation: 'guard.release',
    arguments: {
      decision: ['[decision]', 'Forward it once, forward it and raise the cap, or stop it: once, raise or stop'],
      id: ['[id]', 'ID of a waiting request (default: all)'],
    },
    ask: guard,
  }),
  reading({
    example: 'aspy served --since 30d',
    summary: 'List answers served differently than requested: model, speed, tier, cache lifetime',
    operation: 'served.list',
    text: servedText,
  }),
]

const { title, actions } = recallContext.input.shape

/** The commands that search, or prepare text for a model. */
export const FIND_COMMANDS = [
  reading({
    example: 'aspy recall retry with backoff --since 30d',
    summary: 'Search prompts, thinking and answers',
    operation: 'recall.search',
    arguments: { query: ['<query...>', 'Words to search for'] },
    own: { client, pack: chosen('Print the matches as one text for a model'), title, actions },
    takesPasted: true,
    takesAnyProject: true,
    details: RECALL_SYNTAX_HELP,
    ask: recall,
  }),
  reading({
    example: 'aspy remember --add 0199c2d4 We deploy on Fridays only',
    summary: 'List what you asked to remember, or remember an event',
    operation: 'memories.list',
    arguments: { query: ['[words...]', 'Words to search for; with --add, the fact in your own words'] },
    own: {
      show: given('Show a remembered event with the events that confirm it'),
      add: given('Remember this event, or update its memory'),
      confirms: given('With --add: the event only confirms this remembered one'),
      confidence: given('With --add: from 0 to 1'),
      forget: given('Forget a remembered event'),
      pack: chosen('Print the facts as one text for a model'),
    },
    takesAnyProject: true,
    ask: remember,
  }),
  reading({
    example: 'aspy dropped 5f0c2f1e retry policy',
    summary: 'List what the last compaction of a session dropped',
    operation: 'compactions.dropped',
    arguments: { session_id: SESSION, query: ['[query...]', 'Only messages that contain all these words'] },
    own: {
      compaction: given('Use this compaction instead of the last one'),
      pack: chosen('Print the messages as one text for a model'),
    },
    ask: dropped,
  }),
  reading({
    example: 'aspy resume --project .',
    summary: 'Summarize where a session left off, as one text for a model',
    operation: 'sessions.resume_latest',
    arguments: { session_id: LATEST },
    own: { lost: chosen('Print only the messages that the last resume did not carry') },
    takesAnyProject: true,
    ask: resume,
  }),
]
