import type { ButtonHTMLAttributes } from 'react'

const LOOKS = {
  primary: 'bg-accent text-accent-ink hover:bg-accent-hover border-transparent font-medium',
  plain: 'bg-surface text-ink border-line-strong hover:bg-hover',
  ghost: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-surface text-bad border-bad hover:bg-hover',
} as const

const SIZES = {
  medium: 'h-8 gap-1.5 rounded-small px-3 text-small',
  small: 'h-7 gap-1.5 rounded-small px-2.5 text-meta',
  pill: 'h-8 gap-1.5 rounded-full px-3.5 text-small',
  icon: 'size-7 rounded-small',
  'icon-small': 'size-6 rounded-small',
} as const

export type ButtonLook = keyof typeof LOOKS
export type ButtonSize = keyof typeof SIZES

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary` marks the main action; use it at most once per view. */
  readonly look?: ButtonLook
  readonly size?: ButtonSize
}

/** A button. Icon sizes need an `aria-label`. */
export const Button = ({ look = 'plain', size = 'medium', className = '', ...rest }: ButtonProps) => (
  <button type="button" {...rest} className={`${buttonClasses(look, size)} ${className}`} />
)

/** Classes that give another element, such as a link, the appearance of a button. */
export const buttonClasses = (look: ButtonLook = 'plain', size: ButtonSize = 'medium'): string =>
  `bar inline-flex shrink-0 items-center justify-center border whitespace-nowrap disabled:opacity-50 ${LOOKS[look]} ${SIZES[size]}`

interface ToggleProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly on: boolean
}

/** An on/off filter. Its outline changes too, so the state does not depend on color alone. */
export function Toggle({ on, className = '', ...rest }: ToggleProps) {
  return (
    <button
      type="button"
      aria-pressed={on}
      {...rest}
      className={`bar inline-flex h-7 items-center gap-1.5 rounded-full border px-2.5 text-meta whitespace-nowrap ${
        on ? 'border-line-strong bg-surface text-ink' : 'border-dashed border-line-strong text-faint hover:text-ink'
      } ${className}`}
    />
  )
}
