import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createBrotliDecompress } from 'node:zlib'
import type { Json, JsonObject } from '../../shared/event.ts'
import type { GuardAction } from '../../shared/guard-action.ts'
import { packageRoot } from '../base/app-files.ts'

/** Fields that requests share: model, tools, system prompt and whatever else is not the conversation. */
export interface DemoFields {
  readonly kind: 'fields'
  readonly name: string
  readonly value: JsonObject
}

/** A request and its answer. */
export interface DemoExchange {
  readonly kind: 'exchange'
  readonly session: string
  /** Milliseconds after the end of the history, or after the beginning of the live part. */
  readonly at: number
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The conversation that it continues: the first `keep` messages of its last request, then `add`. */
  readonly conversation: string
  readonly keep: number
  readonly add: readonly JsonObject[]
  /** Field of the body that holds the messages. */
  readonly list: 'messages' | 'input'
  /** Name of the shared fields, which `set` overrides. */
  readonly fields: string
  readonly set?: JsonObject
  /** Added to the last block of the last message as `cache_control`. */
  readonly mark?: JsonObject
  readonly status: number
  readonly answerHeaders: readonly (readonly [name: string, value: string])[]
  /** Server-sent events with their delay in ms after the request. Each `data` has its `type`. */
  readonly events?: readonly (readonly [afterMs: number, data: JsonObject])[]
  /** An answer that is not streamed. */
  readonly body?: Json
  readonly tookMs: number
}

/** Fields of a Claude Code hook. */
export interface DemoHook {
  readonly kind: 'hook'
  readonly session: string
  readonly at: number
  readonly body: JsonObject
}

/** The guard's action on a request. */
export interface DemoGuard {
  readonly kind: 'guard'
  readonly session: string
  readonly at: number
  readonly action: GuardAction
}

/** Events of the demo, in order. */
export type DemoStep = DemoExchange | DemoHook | DemoGuard
/** A line of the file. The lines after `live` are played in real time. */
export type DemoLine = DemoFields | DemoStep | { readonly kind: 'live'; readonly lastsMs: number }

/** Everything in a demo's file. */
export interface Demo {
  readonly fields: ReadonlyMap<string, JsonObject>
  readonly history: readonly DemoStep[]
  readonly live: readonly DemoStep[]
  readonly liveMs: number
}

/** Written by scripts/write-demo.ts. */
export const demoFile = (): string => join(packageRoot(), 'resources', 'demo.jsonl.br')

/** Where the demo's projects are in its file. */
const HOME = '/home/dev/'

/** Reads a demo: lines of JSON, compressed by Brotli. `home`: the folder that has its projects on this machine. */
export async function readDemo(path: string, home?: string): Promise<Demo> {
  const place = home === undefined ? HOME : `${home.replaceAll('\\', '/')}/`
  const fields = new Map<string, JsonObject>()
  const [history, live]: [DemoStep[], DemoStep[]] = [[], []]
  let liveMs: number | null = null
  const lines = createInterface({ input: createReadStream(path).pipe(createBrotliDecompress()) })
  for await (const text of lines) {
    const line = JSON.parse(text.replaceAll(HOME, () => place)) as DemoLine
    if (line.kind === 'fields') fields.set(line.name, line.value)
    else if (line.kind === 'live') liveMs = line.lastsMs
    else (liveMs === null ? history : live).push(line)
  }
  return { fields, history, live, liveMs: liveMs ?? 0 }
}
