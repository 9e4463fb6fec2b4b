import { expect, test } from 'vitest'
import { EVENT_KINDS } from '../../../shared/event.ts'
import { GROUP_NAMES, kindsOf, shownGroups, toggledGroup } from './live-search.ts'

test('every kind of event belongs to a group', () => {
  expect([...kindsOf(GROUP_NAMES)].sort()).toEqual([...EVENT_KINDS].sort())
})

test('traffic is hidden by default, and toggling twice restores the plain address', () => {
  expect(shownGroups(undefined)).not.toContain('traffic')
  const shown = toggledGroup(undefined, 'traffic')
  expect(shownGroups(shown)).toEqual(GROUP_NAMES)
  expect(toggledGroup(shown, 'traffic')).toBeUndefined()
})

test('hiding the last group shows nothing, not the default', () => {
  expect(toggledGroup('tools', 'tools')).toBe('none')
  expect(shownGroups('none')).toEqual([])
})
