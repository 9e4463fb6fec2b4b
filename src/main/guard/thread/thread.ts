import { isDeepStrictEqual } from 'node:util'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { UnpricedReason } from '../../../shared/contract/guard.ts'
import { createPricing, withOwnPrices } from '../../store/pricing/pricing.ts'
import { createBudget } from '../../store/read/budget.ts'
import { createDatabaseFile } from '../../store/read/database-file.ts'
import {
  hasCaps,
  NOBODY,
  type FromGuard,
  type GuardedRequest,
  type GuardStart,
  type ToGuard,
} from '../guard-protocol.ts'
import { spanOf } from './clock-spans.ts'
import { EstimatesFile } from './estimates-file.ts'
import { Judge, type Case } from './judge.ts'
import { readRequest } from './read-request.ts'
import { plainRequest } from './plain-request.ts'
import { SocketRequests } from './socket-requests.ts'
import { spendingOf } from './spending.ts'

/** Time limit in ms for reading sums: a later answer would come after the request was forwarded. */
const READ_MS = 1000
/** Limit of requests that wait for a decision. */
const MAX_WAITING = 5000

const start = workerData as GuardStart
const budget = createBudget(new Int32Array(1))
const pricing = createPricing(withOwnPrices(start.prices))
const file = createDatabaseFile(start.databasePath, budget, pricing)
const spending = spendingOf(() => file.reader())
const estimates = new EstimatesFile(join(dirname(start.databasePath), 'guard-estimates'))
const judge = new Judge({ spending, pricing, config: start.config, file: estimates })
let sockets = new SocketRequests()
const waiting = new Map<string, Case>()
let calls = 0
let isRecalled = false
let reported: ReturnType<Judge['kept']> | null = null
/** Caps on tokens need no price. */
let needsPrice = hasCaps(start.config, '_usd')

const post = (message: FromGuard): void => parentPort?.postMessage(message)
/** The part of a verdict on a request that was not read. */
const UNREAD = { type: 'verdict', request: NOBODY, over: null, by: 'rule' } as const

function unpricedBy(asked: ReturnType<Judge['price']> | null): UnpricedReason | null {
  if (asked === null) return 'unreadable'
  return asked.isUnpriced && needsPrice ? 'no_price' : null
}

/** Tells the main thread which estimates count on, if that changed. */
function reportKept(): void {
  const now = judge.kept()
  if (isDeepStrictEqual(now, reported)) return
  reported = now
  post({ type: 'kept', kept: now })
}

/** Reads what was recorded: at first the times of the newest answers, too. */
function recall(wall: number): void {
  if (!isRecalled) {
    spending.within(spanOf('hour', wall), null)
    judge.recall()
    isRecalled = true
  }
  judge.settleAgain(wall)
}

function answer(id: string, asked: Case | null, unpriced: UnpricedReason | null, by: 'person' | 'rule' = 'rule'): void {
  const over = asked === null ? null : judge.over(asked)
  const request = asked === null ? NOBODY : guardedRequest(asked, over !== null)
  if (asked !== null && over === null) {
    waiting.delete(id)
    judge.admit(id, asked)
  } else if (asked !== null && waiting.size < MAX_WAITING) waiting.set(id, asked)
  post({ type: 'verdict', id, request, over, by, unpriced })
}

function guardedRequest({ sessionId, agentId, project }: Case, isOver: boolean): GuardedRequest {
  const spent = isOver && sessionId !== null ? spending.session(sessionId).usd : null
  return { session_id: sessionId, agent_id: agentId, project, spent_usd: spent }
}

function receive(message: ToGuard): void {
  calls += 1
  budget.begin(calls, READ_MS)
  switch (message.type) {
    case 'ask': {
      const { id, headers, body, wall, socket } = message
      recall(wall)
      reportKept()
      const found = socket === undefined ? plainRequest(headers, body) : sockets.read(socket, body)
      const read = found.body === null ? null : readRequest(headers, found.body, wall, found.earlier)
      const asked = read === null ? null : judge.price(read, wall, found.earlier.tokens)
      if (asked !== null) found.onPriced?.({ ...asked.request, tokens: asked.contextTokens })
      if (found.isExempt) return post({ ...UNREAD, id, unpriced: null, isExempt: true })
      return answer(id, asked, unpricedBy(asked))
    }
    case 'recheck':
      return answer(message.id, waiting.get(message.id) ?? null, null, 'person')
    case 'admit': {
      const asked = waiting.get(message.id)
      waiting.delete(message.id)
      if (asked !== undefined) judge.admit(message.id, asked)
      return
    }
    case 'forget':
      waiting.delete(message.id)
      judge.forget(message.id)
      return
    case 'settle':
      judge.settle(message.id)
      return reportKept()
    case 'left_out':
      judge.leftOut(message.answers)
      return reportKept()
    case 'raise':
      return judge.raise(message.over, message.to)
    case 'configure':
      judge.configure(message.config)
      needsPrice = hasCaps(message.config, '_usd')
      sockets = new SocketRequests()
      for (const [id, { request }] of waiting)
        orUnread(id, () => answer(id, judge.price({ ...request, isContinued: false }, message.wall), null))
      return
    case 'fill':
      return post({ type: 'fill', fill: judge.fill(message.wall) })
    case 'stop':
      file.close()
      process.exit(0)
  }
}

/** Judges a request. The database may be damaged or locked: it then passes, or waits, as `fail_open` decides. */
function orUnread(id: string, judged: () => void): void {
  try {
    judged()
  } catch (error) {
    file.reopen(error)
    post({ ...UNREAD, id, unpriced: 'failed' })
  }
}

parentPort?.on('message', (message: ToGuard) => {
  if (message.type === 'ask' || message.type === 'recheck') return orUnread(message.id, () => receive(message))
  try {
    receive(message)
  } catch (error) {
    file.reopen(error)
    if (message.type === 'fill') return post({ type: 'fill', fill: [] })
    if (message.type !== 'settle') throw error
    reportKept()
  }
})
try {
  // Opens the file before the first request: its first page reads are slow.
  budget.begin(0, READ_MS)
  recall(Date.now())
} catch (error) {
  // The app's start waits for this thread, but not until a damaged database is salvaged.
  file.reopen(error)
}
reportKept()
