import { expect, test } from 'vitest'
import type { Dispatch } from '../dispatch/dispatch.ts'
import { createDoor, type OpenedApp } from './door.ts'

const dispatchOf = (name: string): Dispatch => ({
  call: async () => new TextEncoder().encode(name),
  async *stream() {
    yield { json: new TextEncoder().encode(name), id: null }
  },
})
const appOf = (name: string, kind: OpenedApp['kind'], more: Partial<OpenedApp> = {}): OpenedApp => ({
  dispatch: dispatchOf(name),
  kind,
  ports: { proxy: 1, app: 2 },
  stop: async () => undefined,
  isThere: async () => true,
  ...more,
})
const ask = async (dispatch: Dispatch) =>
  new TextDecoder().decode(await dispatch.call('health.get', {}, { access: 'all' }))

test('calls wait until the app is open', async () => {
  let open: (app: OpenedApp) => void = () => undefined
  const door = createDoor(() => new Promise((resolve) => (open = resolve)))
  const answer = ask(door.dispatch)
  open(appOf('mine', 'own'))
  expect(await answer).toBe('mine')
  await door.stop()
})

test('this process takes over from another app that is gone, but not from one that serves', async () => {
  let isThere = true
  const opened: string[] = []
  const apps = [
    appOf('theirs', 'other', { isThere: async () => isThere }),
    appOf('mine', 'own', { isThere: async () => false }),
  ]
  const door = createDoor(
    async () => {
      const app = apps.shift()
      if (app === undefined) throw new Error('nothing more to open')
      return app
    },
    ({ kind }) => opened.push(kind),
  )
  expect(await ask(door.dispatch)).toBe('theirs')
  await door.check()
  expect(await ask(door.dispatch)).toBe('theirs')
  isThere = false
  await Promise.all([door.check(), door.check()])
  expect(await ask(door.dispatch)).toBe('mine')
  await door.check()
  expect(await ask(door.dispatch)).toBe('mine')
  expect(opened).toEqual(['other', 'own'])
  await door.stop()
})

test('calls fail if the app cannot be opened, and stopping still works', async () => {
  const door = createDoor(() => Promise.reject(new Error('port 2779 is taken')))
  await expect(door.opened()).rejects.toThrow('port 2779 is taken')
  await expect(ask(door.dispatch)).rejects.toThrow('port 2779 is taken')
  await door.stop()
})

test('stopping the door stops our own app', async () => {
  let ended = 0
  const door = createDoor(async () => appOf('mine', 'own', { stop: async () => void (ended += 1) }))
  await door.opened()
  await door.stop()
  expect(ended).toBe(1)
})
