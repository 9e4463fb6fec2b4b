import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'

/** Calls an operation of the app behind a signed-in link. */
async function callAt<Answer>(link: string, operation: string, input: object = {}): Promise<Answer> {
  const { origin, hash } = new URL(link)
  const response = await fetch(`${origin}/api/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hash.replace('#key=', '')}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  return (await response.json()) as Answer
}

interface Hits {
  readonly items: readonly { readonly content: string }[]
}

test('a demo starts once next to the app, leaves its data alone, and ends with it', async () => {
  const app = await startApp({ upstream: 'http://127.0.0.1:9' })
  let folder = ''
  let link = ''
  try {
    const [first, second] = await Promise.all([
      app.call<{ link: string }>('demo.open'),
      app.call<{ link: string }>('demo.open'),
    ])
    link = first.link
    expect(second).toEqual(first)
    expect(new URL(link).origin).not.toBe(app.app)
    const health = await callAt<{ data: string; is_demo: boolean }>(link, 'health.get')
    expect(health.is_demo).toBe(true)
    folder = health.data
    expect(folder).toMatch(/aspy-demo-/)
    await until('the history of the demo is searched', async () => {
      const { items } = await callAt<Hits>(link, 'recall.search', { query: 'disabled text in dark mode' })
      return items.some(({ content }) => content.includes('<mark>disabled</mark>'))
    })
    expect((await app.call<{ items: unknown[] }>('sessions.list')).items).toEqual([])
    expect(await callAt(link, 'demo.leave')).toEqual({ link: app.app })
    expect((await app.running.health()).is_demo).toBeUndefined()
    await expect(app.call('demo.leave')).rejects.toMatchObject({ code: 'conflict', message: 'this is not a demo' })
    expect((await app.running.health()).exchanges_seen).toBe(0)
  } finally {
    await app.close()
  }
  expect(existsSync(folder)).toBe(false)
  await expect(fetch(new URL(link).origin)).rejects.toThrow()
})

test('a reader may not start one', async () => {
  await using app = await startApp({ upstream: 'http://127.0.0.1:9' })
  await expect(app.running.dispatch.call('demo.open', {}, { access: 'read' })).rejects.toMatchObject({
    code: 'forbidden',
  })
})
