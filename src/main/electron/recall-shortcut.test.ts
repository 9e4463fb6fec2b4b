import { expect, test } from 'vitest'
import { createRecallShortcut } from './recall-shortcut.ts'

function shortcuts(taken: readonly string[] = []) {
  const held = new Map<string, () => void>()
  return {
    held,
    register(accelerator: string, callback: () => void) {
      if (accelerator.includes('?')) throw new TypeError('conversion failure')
      if (taken.includes(accelerator)) return false
      held.set(accelerator, callback)
      return true
    },
    unregister: (accelerator: string) => void held.delete(accelerator),
  }
}

test('the shortcut opens Recall, and can be changed and removed', () => {
  const system = shortcuts()
  let presses = 0
  const shortcut = createRecallShortcut(system, () => (presses += 1), expect.unreachable)
  shortcut.apply('Alt+R')
  shortcut.apply('Alt+R')
  system.held.get('Alt+R')?.()
  expect(presses).toBe(1)
  shortcut.apply('Alt+S')
  expect([...system.held.keys()]).toEqual(['Alt+S'])
  expect(shortcut.keys()).toBe('Alt+S')
  shortcut.apply('')
  expect([...system.held.keys()]).toEqual([])
  expect(shortcut.fault()).toBeNull()
})

test('a shortcut that cannot be registered is reported once, with advice', () => {
  const faults: string[] = []
  const system = shortcuts(['Alt+R'])
  const shortcut = createRecallShortcut(
    system,
    () => undefined,
    (fault) => faults.push(fault),
  )
  shortcut.apply('Alt+R')
  shortcut.apply('Alt+R')
  expect(shortcut.fault()).toBe('Alt+R is used by another program')
  shortcut.apply('What?')
  expect(shortcut.fault()).toMatch(/is not a valid shortcut/)
  expect(faults).toHaveLength(2)
  shortcut.apply('Alt+S')
  expect(shortcut.fault()).toBeNull()
})
