import type { InboxAction } from '../../../../shared/contract/action/inbox-schema.ts'
import { formatNumber } from '../format.ts'
import { isSuspicious, readsAs } from '../suspicious.ts'
import type { Piece } from './describe.ts'

/** A property in which actions of a batch can differ: a fact from the service or a value from the proposals. */
export interface BatchField {
  key: string
  title: string
  from: Piece['from']
  /** Values by the action's index in the batch. An action without the value has no entry. */
  texts: ReadonlyMap<number, string>
}

/** Amounts that can be compared, because they have the same operation, name and currency. */
export interface AmountGroup {
  action: InboxAction
  title: string
  currency: string | null
  numbers: { place: number; value: number }[]
  texts: number[]
}

type Reason = readonly Piece[]

/** Reasons why an action differs from the rest of its batch, by the action's index in the batch. */
export type Outliers = ReadonlyMap<number, readonly Reason[]>

/** The smallest batch for which rare values are reported, because fewer actions show no majority. */
const comparedMin = 3
/** An amount above 3 times the median is an outlier. */
const mediansMax = 3
/** A divisor. A rare value occurs once or in at most a fifth of the batch, while more than half share another. */
const fewShare = 5

/**
 * Finds the actions that a person should check first: unusual amounts, then misleading names or values, then rare
 * values.
 */
export function outliersOf(
  size: number,
  amounts: readonly AmountGroup[],
  differing: readonly BatchField[],
): Outliers {
  const outliers = new Map<number, Reason[]>()
  const tell = (place: number, reason: Reason): void => {
    const reasons = outliers.get(place)
    if (reasons) reasons.push(reason)
    else outliers.set(place, [reason])
  }
  for (const group of amounts) tellAmounts(group, tell)
  for (const field of differing) {
    tellMarked(field, tell)
    tellLookAlikes(field, tell)
  }
  tellLookAlikeNames(differing, tell)
  if (size >= comparedMin) for (const field of differing) tellFew(field, size, tell)
  return outliers
}

type Tell = (place: number, reason: Reason) => void

function tellAmounts({ title, numbers, texts }: AmountGroup, tell: Tell): void {
  for (const place of texts) tell(place, [theirs(title), us(' is no number')])
  if (numbers.length < comparedMin) return
  const sorted = numbers.map(({ value }) => value).sort((one, other) => one - other)
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  for (const { place, value } of numbers) {
    if (value < 0 && median >= 0) tell(place, [theirs(title), us(' is below zero')])
    if (median > 0 && value / median > mediansMax)
      tell(place, [theirs(title), us(` is ${formatNumber(Math.floor(value / median))} times the median`)])
  }
}

function tellMarked({ title, texts }: BatchField, tell: Tell): void {
  const marked = isSuspicious(title)
  for (const [place, text] of texts)
    if (marked || isSuspicious(text)) tell(place, [theirs(title), us(' has characters that mislead')])
}

function tellLookAlikes({ title, texts }: BatchField, tell: Tell): void {
  const alike = groupBy(new Set(texts.values()), readsAs)
  const counts = countsOf(texts.values())
  for (const group of alike.values()) {
    if (group.length < 2) continue
    const usual = mostOf(group, counts)
    for (const [place, text] of texts)
      if (text !== usual && group.includes(text))
        tell(place, [theirs(title), us(' looks like another value and is not the same')])
  }
}

function tellLookAlikeNames(fields: readonly BatchField[], tell: Tell): void {
  for (const group of groupBy(fields, ({ title }) => readsAs(title)).values()) {
    const [, ...rarer] = [...group].sort((one, other) => other.texts.size - one.texts.size)
    for (const { title, texts } of rarer)
      for (const place of texts.keys())
        tell(place, [us('the name '), theirs(title), us(' looks like another one and is not the same')])
  }
}

function tellFew({ title, texts }: BatchField, size: number, tell: Tell): void {
  const counts = countsOf<string | null>(texts.values())
  const absent = size - texts.size
  if (absent > 0) counts.set(null, absent)
  const usual = mostOf([...counts.keys()], counts)
  if ((counts.get(usual) ?? 0) * 2 <= size) return
  const fewMax = Math.max(1, Math.floor(size / fewShare))
  const isFew = (text: string | null): boolean => text !== usual && (counts.get(text) ?? 0) <= fewMax
  const most =
    usual === null ? [us(': most have none')] : [us(': most have '), theirs([...usual].slice(0, 60).join(''))]
  const places = isFew(null) ? Array.from({ length: size }, (_, place) => place) : texts.keys()
  for (const place of places) if (isFew(texts.get(place) ?? null)) tell(place, [theirs(title), ...most])
}

function groupBy<Value>(values: Iterable<Value>, keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}

function countsOf<Value>(values: Iterable<Value>): Map<Value, number> {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

function mostOf<Value>(values: readonly Value[], counts: ReadonlyMap<Value, number>): Value {
  return values.reduce((most, value) => ((counts.get(value) ?? 0) > (counts.get(most) ?? 0) ? value : most))
}

function us(text: string): Piece {
  return { text, from: 'us' }
}

function theirs(text: string): Piece {
  return { text, from: 'proposal' }
}
