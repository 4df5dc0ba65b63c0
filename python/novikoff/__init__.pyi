"""Online linear and kernel classifiers. Written by ``python -m novikoff._stubs``."""

from .estimators import Alma as Alma
from .estimators import Arow as Arow
from .estimators import AutoClassifier as AutoClassifier
from .estimators import AveragedPerceptron as AveragedPerceptron
from .estimators import BalancedWinnow as BalancedWinnow
from .estimators import Certificate as Certificate
from .estimators import DualClassifier as DualClassifier
from .estimators import DualRegressor as DualRegressor
from .estimators import DualSolver as DualSolver
from .estimators import ExponentiatedGradient as ExponentiatedGradient
from .estimators import Forgetron as Forgetron
from .estimators import HigherOrderPerceptron as HigherOrderPerceptron
from .estimators import HuberRegressor as HuberRegressor
from .estimators import LinearSVM as LinearSVM
from .estimators import LinearSVR as LinearSVR
from .estimators import LogisticRegression as LogisticRegression
from .estimators import MaxEnt as MaxEnt
from .estimators import MaxMargin as MaxMargin
from .estimators import NormalisedPerceptron as NormalisedPerceptron
from .estimators import NormalisedWinnow as NormalisedWinnow
from .estimators import OnlineClassifier as OnlineClassifier
from .estimators import OnlineLogisticRegression as OnlineLogisticRegression
from .estimators import PNormPerceptron as PNormPerceptron
from .estimators import PassiveAggressiveClassifier as PassiveAggressiveClassifier
from .estimators import Perceptron as Perceptron
from .estimators import Projectron as Projectron
from .estimators import RandomBudget as RandomBudget
from .estimators import RemarkWarning as RemarkWarning
from .estimators import Ridge as Ridge
from .estimators import Romma as Romma
from .estimators import SVM as SVM
from .estimators import SecondOrderPerceptron as SecondOrderPerceptron
from .estimators import SelectiveSampler as SelectiveSampler
from .estimators import ShiftingPerceptron as ShiftingPerceptron
from .estimators import VotedPerceptron as VotedPerceptron
from .estimators import WhitenedPerceptron as WhitenedPerceptron
from .estimators import Winnow as Winnow
from .estimators import load as load
from .files import load_svmlight_file as load_svmlight_file
from .files import load_vw_file as load_vw_file

__version__: str
