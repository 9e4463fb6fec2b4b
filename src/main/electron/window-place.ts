import { z } from 'zod'
import { readState, writeState } from '../base/state-file.ts'

const rectangle = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
export type Rectangle = z.output<typeof rectangle>

const remembered = z.object({
  bounds: rectangle.nullable().catch(null),
  maximized: z.boolean().catch(false),
  /** The address that the window showed. */
  address: z
    .string()
    .regex(/^\/(?!\/)[^\\]{0,2000}$/)
    .catch('/live'),
  /** True once the user has seen the notice that Aspy keeps running without a window. */
  told_of_tray: z.boolean().catch(false),
})
/** The window's state that is kept between starts. */
export type RememberedWindow = z.output<typeof remembered>

export const SMALLEST = { width: 800, height: 560 } as const
const USUAL = { width: 1280, height: 820 } as const
/** Size of the part of the title bar that must be on a screen. */
const GRIP = { width: 120, height: 32 } as const

/** Returns the window's previous position if it is still on a screen; else only a size, and the system places it. */
export function placeWindow(
  was: Rectangle | null,
  screens: readonly Rectangle[],
): { readonly width: number; readonly height: number; readonly x?: number; readonly y?: number } {
  if (was === null || !Object.values(was).every((number) => Number.isSafeInteger(number))) return USUAL
  const screen = screens.find((area) => isInReach(was, area))
  if (screen === undefined) return USUAL
  const width = Math.min(Math.max(was.width, SMALLEST.width), Math.max(screen.width, SMALLEST.width))
  const height = Math.min(Math.max(was.height, SMALLEST.height), Math.max(screen.height, SMALLEST.height))
  return { x: was.x, y: was.y, width, height }
}

function isInReach(window: Rectangle, screen: Rectangle): boolean {
  const shown = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x)
  const isBelowTop = window.y >= screen.y
  return shown >= GRIP.width && isBelowTop && window.y + GRIP.height <= screen.y + screen.height
}

/** Reads the remembered state. A missing or damaged file gives the defaults. */
export const readRememberedWindow = (file: string): RememberedWindow =>
  readState(file, remembered) ?? remembered.parse({})

export const rememberWindow = (file: string, window: RememberedWindow): void => writeState(file, window)
