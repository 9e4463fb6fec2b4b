/** A color code, or any other control sequence: CSI, OSC such as a link, character sets, and single characters. */
export const SEQUENCE =
  // oxlint-disable-next-line no-control-regex
  /\u001B\[([0-9;:?]*)[ -/]*([@-~])|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[()*+][A-Z0-9]|\u001B[@-Z\\-_]?/g
/** Characters that control a terminal. Tab, line feed and escape are not among them. */
// oxlint-disable-next-line no-control-regex
export const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001A\u001C-\u001F\u007F]/g

/** Returns terminal output as plain text. */
export const withoutAnsi = (output: string): string =>
  withoutOverwritten(output).replaceAll(SEQUENCE, '').replaceAll(CONTROLS, '')

/** Keeps the final text of lines that are overwritten after a carriage return, such as a progress bar. */
export function withoutOverwritten(output: string): string {
  if (!output.includes('\r')) return output
  return output
    .replaceAll(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.slice(line.replace(/\r+$/, '').lastIndexOf('\r') + 1).replaceAll('\r', ''))
    .join('\n')
}
