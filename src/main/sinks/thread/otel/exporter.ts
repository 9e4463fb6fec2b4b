import { createHash } from 'node:crypto'
import type { AgentOptions } from 'node:http'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, type Tracer } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
} from '@opentelemetry/sdk-trace-base'
import { isLoopback } from '../../../../shared/loopback.ts'
import type { Attributes, SpanPlan } from './span-plan.ts'

const BATCH_SPANS = 512
const EXPORT_MS = 10_000
const MAX_SERVICES = 50

export interface TraceExporterOptions {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly version: string
  /** Longer attribute values are cut. */
  readonly maxTextLength: number
}

/** Sends finished spans to a collector. */
export type TraceExporter = ReturnType<typeof createTraceExporter>

/** Applies the proxy variables (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), except for loopback. */
const agentOptions = (endpoint: string): AgentOptions =>
  isLoopback(new URL(endpoint).hostname) ? { keepAlive: true } : { keepAlive: true, proxyEnv: process.env }

/** Wraps the official SDK, with given ids and times, since the spans are in the past. */
export function createTraceExporter(options: TraceExporterOptions) {
  const ids = createPresetIds()
  const exporter = new OTLPTraceExporter({
    url: tracesUrl(options.endpoint),
    headers: { ...options.headers },
    timeoutMillis: EXPORT_MS,
    httpAgentOptions: agentOptions(options.endpoint),
  })
  const processor = new BatchSpanProcessor(exporter, {
    maxExportBatchSize: BATCH_SPANS,
    maxQueueSize: 2 * BATCH_SPANS,
    exportTimeoutMillis: EXPORT_MS,
    // `send` flushes explicitly. Failures of the timer's own exports would go unnoticed.
    scheduledDelayMillis: 2 ** 31 - 1,
  })
  const tracers = new Map<string, Tracer>()

  /** Each client is a separate service, which is a property of the provider. */
  function tracerOf(service: string): Tracer {
    const known = tracers.get(service)
    if (known !== undefined) return known
    const provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': service, 'telemetry.distro.name': 'aspy' }),
      sampler: new AlwaysOnSampler(),
      idGenerator: ids,
      spanProcessors: [processor],
      spanLimits: { attributeValueLengthLimit: options.maxTextLength, attributeCountLimit: 128 },
    })
    const tracer = provider.getTracer('aspy', options.version)
    // Clients name themselves, so their number is bounded.
    if (tracers.size < MAX_SERVICES) tracers.set(service, tracer)
    return tracer
  }

  function make(plan: SpanPlan, traceId: string, tracer: Tracer): void {
    ids.next = { traceId, spanId: spanIdOf(plan.key) }
    const parent =
      plan.parent === null
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            traceId,
            spanId: spanIdOf(plan.parent),
            traceFlags: TraceFlags.SAMPLED,
            isRemote: false,
          })
    const span = tracer.startSpan(
      plan.name,
      {
        kind: plan.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
        startTime: new Date(plan.start),
        attributes: mutable(plan.attributes),
      },
      parent,
    )
    if (plan.error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: plan.error })
    span.end(new Date(plan.end))
  }

  return {
    /** Sends all spans of some traces. Rejects unless the collector accepted all of them. */
    async send(spans: readonly SpanPlan[]) {
      let traceId = ''
      let tracer = tracerOf('aspy')
      for (const [at, plan] of spans.entries()) {
        if (plan.parent === null) {
          traceId = traceIdOf(plan.key)
          tracer = tracerOf(plan.service ?? 'aspy')
        }
        make(plan, traceId, tracer)
        // The SDK exports a full queue on its own, and a failure would go unnoticed.
        if (at % (BATCH_SPANS - 1) === BATCH_SPANS - 2) await processor.forceFlush()
      }
      await processor.forceFlush()
    },
    close: () => processor.shutdown(),
  }
}

/** Derives ids from a span's key, so that a turn sent twice is the same trace. */
const digest = (text: string, bytes: number) =>
  createHash('sha256')
    .update(`aspy ${text}`)
    .digest('hex')
    .slice(0, bytes * 2)
export const traceIdOf = (rootKey: string): string => digest(`trace ${rootKey}`, 16)
export const spanIdOf = (key: string): string => digest(`span ${key}`, 8)

/** An id generator for the SDK that returns preset ids. */
function createPresetIds(): IdGenerator & { next: { readonly traceId: string; readonly spanId: string } } {
  return {
    next: { traceId: '', spanId: '' },
    generateTraceId() {
      return this.next.traceId
    },
    generateSpanId() {
      return this.next.spanId
    },
  }
}

/** Adds OTLP's standard path for traces if the address has none. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint)
  if (url.pathname === '/' || url.pathname === '') url.pathname = '/v1/traces'
  return url.href
}

const mutable = (attributes: Attributes) =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  )
