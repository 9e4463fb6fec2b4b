import { writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { placeWindow, readRememberedWindow, rememberWindow } from './window-place.ts'

const laptop = { x: 0, y: 25, width: 1440, height: 875 }
const beside = { x: 1440, y: 0, width: 2560, height: 1440 }
const usual = { width: 1280, height: 820 }

test('a window returns to its previous position', () => {
  const was = { x: 1500, y: 40, width: 1800, height: 1200 }
  expect(placeWindow(was, [laptop, beside])).toEqual(was)
})

test.each([
  ['on a screen that is gone', { x: 1500, y: 40, width: 1800, height: 1200 }],
  ['with its title bar above the screen', { x: 100, y: -10, width: 1000, height: 800 }],
  ['with its title bar below the screen', { x: 100, y: 890, width: 1000, height: 800 }],
  ['all but out at the left', { x: -930, y: 40, width: 1000, height: 800 }],
  ['at no place at all', { x: Number.NaN, y: 40, width: 1000, height: 800 }],
  ['at half a pixel', { x: 0.5, y: 40, width: 1000, height: 800 }],
])('a window %s is put where the system likes', (_how, was) => {
  expect(placeWindow(was, [laptop])).toEqual(usual)
})

test('a window is never larger than its screen or smaller than the minimum', () => {
  expect(placeWindow({ x: 0, y: 25, width: 5000, height: 5000 }, [laptop])).toMatchObject({ width: 1440, height: 875 })
  expect(placeWindow({ x: 0, y: 25, width: 10, height: 10 }, [laptop])).toEqual(usual)
  expect(placeWindow({ x: 0, y: 25, width: 200, height: 10 }, [laptop])).toMatchObject({ width: 800, height: 560 })
})

test('the remembered state is restored; damaged values are dropped', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aspy-window-'))
  const file = join(folder, 'window.json')
  const nothing = { bounds: null, maximized: false, address: '/live', told_of_tray: false }
  try {
    expect(readRememberedWindow(file)).toEqual(nothing)
    const kept = { bounds: laptop, maximized: true, address: '/recall?q=a', told_of_tray: true }
    rememberWindow(file, kept)
    expect(readRememberedWindow(file)).toEqual(kept)
    for (const text of ['{', '[]', 'null', '"x"']) {
      writeFileSync(file, text)
      expect(readRememberedWindow(file)).toEqual(nothing)
    }
    for (const address of ['//evil.example', 'https://evil.example', '/\\evil', 7]) {
      writeFileSync(file, JSON.stringify({ bounds: { x: 'left' }, address, maximized: 'yes' }))
      expect(readRememberedWindow(file)).toEqual(nothing)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
