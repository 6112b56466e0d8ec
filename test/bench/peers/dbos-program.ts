import { runEngine } from '../engine.ts'
import { startDbos } from './start-dbos.ts'

runEngine(startDbos('queue'))
