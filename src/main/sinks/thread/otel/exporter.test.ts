import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { createTraceExporter } from './exporter.ts'
import type { SpanPlan } from './span-plan.ts'

const SPAN: SpanPlan = {
  key: 'turn 1',
  parent: null,
  name: 'turn',
  kind: 'internal',
  start: 1000,
  end: 2000,
  attributes: {},
  error: null,
  lastId: 1,
}

afterEach(() => vi.unstubAllEnvs())

test('a remote collector is reached through the network proxy', async () => {
  const asked: string[] = []
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '')
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  vi.stubEnv('http_proxy', undefined)
  vi.stubEnv('NO_PROXY', undefined)
  vi.stubEnv('no_proxy', undefined)
  const exporter = createTraceExporter({
    endpoint: 'http://collector.invalid:4318',
    headers: {},
    version: '1',
    maxTextLength: 100,
  })
  await exporter.send([SPAN])
  await exporter.close()
  proxy.closeAllConnections()
  proxy.close()
  await once(proxy, 'close')
  expect(asked).toEqual(['http://collector.invalid:4318/v1/traces'])
})
