from golden import golden

__all__ = ["golden"]
