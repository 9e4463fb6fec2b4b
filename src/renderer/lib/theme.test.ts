import { beforeEach, expect, test, vi } from 'vitest'
import { chooseSystemLook, chooseTheme, startTheme, systemLook } from './theme.ts'

const dataset: Record<string, string> = {}
let isDark = false
let follow: () => void = () => undefined

beforeEach(() => {
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  })
  vi.stubGlobal('document', { documentElement: { dataset } })
  vi.stubGlobal('matchMedia', () => ({
    matches: isDark,
    addEventListener: (_: string, listener: () => void) => {
      follow = listener
    },
  }))
})

test('the system theme is the chosen one of the day and of the night; another theme ignores both', () => {
  startTheme()
  expect(dataset['theme']).toBe('light')
  chooseSystemLook('light', 'solarized-light')
  chooseSystemLook('dark', 'solarized-dark')
  expect(dataset['theme']).toBe('solarized-light')
  isDark = true
  follow()
  expect(dataset['theme']).toBe('solarized-dark')
  chooseTheme('light')
  expect(dataset['theme']).toBe('light')
  chooseTheme('system')
  expect(dataset['theme']).toBe('solarized-dark')
  // A light theme cannot be chosen for the night.
  chooseSystemLook('dark', 'light')
  expect([systemLook('dark'), dataset['theme']]).toEqual(['dark', 'dark'])
})
