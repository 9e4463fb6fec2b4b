import { createHash } from 'node:crypto'

/** The documented prompt cache: entries by exact prefix, breakpoints, look-back, lifetimes, minimum by model. */

export interface SimulatedBody {
  readonly model: string
  readonly speed?: string
  readonly tools?: readonly object[]
  readonly system?: string | readonly object[]
  readonly messages: readonly { readonly role: string; readonly content: string | readonly object[] }[]
  readonly [parameter: string]: unknown
}

export interface SimulatedUsage {
  readonly input: number
  readonly read: number
  readonly written5m: number
  readonly written1h: number
}

/** USD per million tokens. */
export interface SimulatedRates {
  readonly input: number
  readonly read: number
  readonly write5m: number
  readonly write1h: number
}

interface Rendered {
  readonly key: string
  readonly bytes: string
  readonly mark: '5m' | '1h' | null
  readonly hasImage: boolean
}

const LOOKBACK = 20
const MAX_MARKS = 4
const LIFETIME = { '5m': 5 * 60_000, '1h': 60 * 60_000 } as const
/** Parameters that decide about messages only, as does whether the prompt has images at all. */
const MESSAGE_PARAMETERS = ['tool_choice', 'thinking', 'output_config']

export class CacheSimulator {
  /** Milliseconds; tests move it. */
  now = 0
  readonly #entries = new Map<string, { expires: number; life: number }>()
  readonly #minimum: (model: string) => number

  constructor(minimum: (model: string) => number) {
    this.#minimum = minimum
  }

  /** The provider loses everything. */
  evict(): void {
    this.#entries.clear()
  }

  /** Answers a request of an account's key: what it reads, writes and pays as input. */
  send(account: string, body: SimulatedBody, betas: readonly string[]): SimulatedUsage {
    const blocks = render(body)
    const start = JSON.stringify([account, body.model, betas.toSorted(), body.speed ?? 'standard'])
    const parameters = JSON.stringify([
      ...MESSAGE_PARAMETERS.map((name) => body[name] ?? null),
      blocks.some(({ hasImage }) => hasImage),
    ])
    const prefixes: string[] = []
    const tokens: number[] = []
    let [hash, sum] = [start, 0]
    for (const { key, bytes } of blocks) {
      const own = key.startsWith('messages') ? parameters : ''
      hash = createHash('sha256').update(`${hash}\n${own}${key}\n${bytes}`).digest('hex')
      sum += tokensIn(bytes)
      prefixes.push(hash)
      tokens.push(sum)
    }
    const marks = blocks.flatMap(({ mark }, at) => (mark === null ? [] : [{ at, mark }])).slice(-MAX_MARKS)
    const allowed = marks.filter(({ at }) => (tokens[at] ?? 0) >= this.#minimum(body.model))
    const hit = this.#findEntry(prefixes, allowed)
    const read = hit === null ? 0 : (tokens[hit] ?? 0)
    if (hit !== null) this.#refresh(prefixes[hit] ?? '')
    let [from, written5m, written1h] = [read, 0, 0]
    for (const { at, mark } of allowed) {
      const upTo = tokens[at] ?? 0
      const prefix = prefixes[at] ?? ''
      if (this.#isAlive(prefix)) this.#refresh(prefix)
      else this.#entries.set(prefix, { life: LIFETIME[mark], expires: this.now + LIFETIME[mark] })
      if (upTo <= from) continue
      if (mark === '1h') written1h += upTo - from
      else written5m += upTo - from
      from = upTo
    }
    return { input: sum - from, read, written5m, written1h }
  }

  #findEntry(prefixes: readonly string[], marks: readonly { at: number }[]): number | null {
    let best: number | null = null
    for (const { at } of marks) {
      for (let back = at; back > at - LOOKBACK && back >= 0; back -= 1) {
        if (!this.#isAlive(prefixes[back] ?? '')) continue
        if (best === null || back > best) best = back
        break
      }
    }
    return best
  }

  #isAlive(prefix: string): boolean {
    return (this.#entries.get(prefix)?.expires ?? Number.NEGATIVE_INFINITY) >= this.now
  }

  #refresh(prefix: string): void {
    const entry = this.#entries.get(prefix)
    if (entry !== undefined) entry.expires = this.now + entry.life
  }
}

/** The bill of one answer's input in USD. */
export function bill({ input, read, written5m, written1h }: SimulatedUsage, rates: SimulatedRates): number {
  const micro = input * rates.input + read * rates.read + written5m * rates.write5m + written1h * rates.write1h
  return micro / 1e6
}

/** The usage of the same request if it had read `tokens` more: first what was written for longest, then what was not cached. */
export function hadItRead(usage: SimulatedUsage, tokens: number): SimulatedUsage {
  const long = Math.min(tokens, usage.written1h)
  const short = Math.min(tokens - long, usage.written5m)
  const plain = tokens - long - short
  return {
    input: usage.input - plain,
    read: usage.read + tokens,
    written5m: usage.written5m - short,
    written1h: usage.written1h - long,
  }
}

function render({ tools = [], system = [], messages }: SimulatedBody): readonly Rendered[] {
  const parts: Rendered[] = []
  const add = (key: string, block: object | string) => {
    const marks: Rendered['mark'][] = []
    // A mark may be on a block inside a result: it ends at the result.
    const bytes = JSON.stringify(block, function withoutMark(this: unknown, name, value: { ttl?: string }) {
      if (name !== 'cache_control') return value
      marks.push(value.ttl === '1h' ? '1h' : '5m')
      return undefined
    })
    // The client's description of itself is not a part of the prompt.
    if (/"text":"x-[a-z-]+-header: /.test(bytes)) return
    parts.push({ key, bytes, mark: marks[0] ?? null, hasImage: bytes.includes('"type":"image"') })
  }
  // A deferred tool is not in the prompt before a search finds it.
  for (const tool of tools) if (!('defer_loading' in tool)) add('tools', tool)
  for (const block of typeof system === 'string' ? [system] : system) add('system', block)
  for (const { role, content, ...fields } of messages) {
    const key = `messages ${role}${Object.keys(fields).length > 0 ? JSON.stringify(fields) : ''}`
    for (const block of typeof content === 'string' ? [content] : content) add(key, block)
  }
  return parts
}

const tokensIn = (bytes: string): number => Math.ceil(bytes.length / 4)
