import { isDeepStrictEqual } from 'node:util'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { GUARD_CAPS, type UnpricedReason } from '../../../shared/contract/guard.ts'
import { createPricing, withOwnPrices } from '../../store/pricing/pricing.ts'
import { createBudget } from '../../store/read/budget.ts'
import { createDatabaseFile } from '../../store/read/database-file.ts'
import {
  NOBODY,
  type FromGuard,
  type GuardConfig,
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
import { Spending } from './spending.ts'

/** Time limit in ms for reading sums: a later answer would come after the request was forwarded. */
const READ_MS = 1000
/** Limit of requests that wait for a decision. */
const MAX_WAITING = 5000

const start = workerData as GuardStart
const budget = createBudget(new Int32Array(1))
const pricing = createPricing(withOwnPrices(start.prices))
const file = createDatabaseFile(start.databasePath, budget, pricing)
const spending = new Spending(() => file.reader())
const estimates = new EstimatesFile(join(dirname(start.databasePath), 'guard-estimates'))
const judge = new Judge({ spending, pricing, config: start.config, file: estimates })
let sockets = new SocketRequests()
const waiting = new Map<string, Case>()
let calls = 0
let reported = judge.kept()

/** Caps on tokens need no price. */
const isPriceNeeded = (config: GuardConfig) =>
  [config, ...config.projects].some((caps) => GUARD_CAPS.some((cap) => cap.endsWith('_usd') && (caps[cap] ?? 0) > 0))
let needsPrice = isPriceNeeded(start.config)

function unpricedBy(asked: ReturnType<Judge['price']> | null): UnpricedReason | null {
  if (asked === null) return 'unreadable'
  return asked.isUnpriced && needsPrice ? 'no_price' : null
}

/** Tells the main thread which estimates count on, if that changed. */
function reportKept(): void {
  const now = judge.kept()
  if (isDeepStrictEqual(now, reported)) return
  reported = now
  parentPort?.postMessage({ type: 'kept', kept: now } satisfies FromGuard)
}

function answer(id: string, asked: Case | null, unpriced: UnpricedReason | null, by: 'person' | 'rule' = 'rule'): void {
  const over = asked === null ? null : judge.over(asked)
  const request = asked === null ? NOBODY : guardedRequest(asked, over !== null)
  if (asked !== null && over === null) {
    waiting.delete(id)
    judge.admit(id, asked)
  } else if (asked !== null && waiting.size < MAX_WAITING) waiting.set(id, asked)
  parentPort?.postMessage({ type: 'verdict', id, request, over, by, unpriced } satisfies FromGuard)
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
      judge.settleAgain(wall)
      reportKept()
      const found = socket === undefined ? plainRequest(headers, body) : sockets.read(socket, body)
      const read = found.body === null ? null : readRequest(headers, found.body, wall, found.earlier)
      const asked = read === null ? null : judge.price(read, wall, found.earlier.tokens)
      if (asked !== null) found.onPriced?.({ ...asked.request, tokens: asked.contextTokens })
      if (!found.isExempt) return answer(id, asked, unpricedBy(asked))
      const verdict: FromGuard = {
        type: 'verdict',
        id,
        request: NOBODY,
        over: null,
        by: 'rule',
        unpriced: null,
        isExempt: true,
      }
      parentPort?.postMessage(verdict)
      return
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
    case 'raise':
      return judge.raise(message.over, message.to)
    case 'configure':
      judge.configure(message.config)
      needsPrice = isPriceNeeded(message.config)
      sockets = new SocketRequests()
      for (const [id, { request }] of waiting)
        answer(id, judge.price({ ...request, isContinued: false }, message.wall), null)
      return
    case 'fill':
      parentPort?.postMessage({ type: 'fill', fill: judge.fill(message.wall) } satisfies FromGuard)
      return
    case 'stop':
      file.close()
      process.exit(0)
  }
}

parentPort?.on('message', (message: ToGuard) => {
  try {
    receive(message)
  } catch (error) {
    // The database may be damaged or locked. The request passes, or waits, as `fail_open` decides.
    file.reopen(error)
    if (message.type === 'fill') return void parentPort?.postMessage({ type: 'fill', fill: [] } satisfies FromGuard)
    if (message.type !== 'ask' && message.type !== 'recheck') throw error
    parentPort?.postMessage({
      type: 'verdict',
      id: message.id,
      request: NOBODY,
      over: null,
      by: 'rule',
      unpriced: 'failed',
    } satisfies FromGuard)
  }
})
// Opens the file before the first request: its first page reads are slow.
budget.begin(0, READ_MS)
spending.within(spanOf('hour', Date.now()), null)
judge.recall()
judge.settleAgain(Date.now())
reportKept()
parentPort?.postMessage({ type: 'ready' } satisfies FromGuard)
