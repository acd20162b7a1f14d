export { type Failure, type StandInOptions, StandInService } from './stand-in-service.js';
